"""The outcomes as tables for a person."""

import statistics

from rich.console import Console
from rich.table import Table

from bench.outcome import MB, MIB, Outcome

LEAD_GOAL = 1.2
GROWTH_GOAL = 1.1
PEAK_GOAL_MB = 120.0


PLAIN_WIDTH = 110


def console_for_tables() -> Console:
    """A console that is wide enough for them also where it is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=PLAIN_WIDTH)


def print_transfers(outcome: Outcome, console: Console) -> None:
    """Print both tables of the transfers, and how they stand to the goals."""
    console.print(_speeds(outcome))
    console.print(_memory(outcome))
    peak = max(outcome.peak_rss.values()) / MB
    console.print(f"The source alone: {outcome.size / outcome.source_seconds / MB:.0f} MB/s.")
    console.print(f"Load average: {outcome.load_before:.2f} before, {outcome.load_after:.2f} after.")
    for name, version in outcome.versions.items():
        console.print(f"{name}: {version}")
    print_goal(console, "throughput against the best rival", outcome.lead(), LEAD_GOAL, at_least=True)
    print_goal(console, "largest over smallest peak of memory", outcome.growth(), GROWTH_GOAL)
    print_goal(console, "largest peak of memory, MB", peak, PEAK_GOAL_MB)


def print_goal(console: Console, what: str, figure: float, goal: float, *, at_least: bool = False) -> None:
    """Print a figure beside its goal."""
    met = figure >= goal if at_least else figure <= goal
    bound = "at least" if at_least else "at most"
    verdict = "[green]reached[/]" if met else "[red]missed[/]"
    console.print(f"{verdict} {what}: {figure:.2f}, goal {bound} {goal:g}", highlight=False)


def _speeds(outcome: Outcome) -> Table:
    table = Table(title=f"One object of {outcome.size / MIB:g} MiB, link to RGW (median of {_count(outcome)})")
    for heading in ("tool", "MB/s", "slowest to fastest", "own CPU s", "peak MB", "ours is"):
        table.add_column(heading, justify="left" if heading == "tool" else "right")
    ours = outcome.speed(next(iter(outcome.runs)))
    for tool, runs in outcome.runs.items():
        speeds, cpu = outcome.speeds(tool), statistics.median(run.cpu_seconds for run in runs)
        span = f"{min(speeds):.0f} to {max(speeds):.0f}"
        peak = max(run.peak_rss for run in runs) / MB
        ratio = ours / outcome.speed(tool)
        table.add_row(tool, f"{outcome.speed(tool):.0f}", span, f"{cpu:.1f}", f"{peak:.0f}", f"{ratio:.2f} x")
    return table


def _memory(outcome: Outcome) -> Table:
    table = Table(title="Peak memory of a downloader with one transfer")
    for heading in ("object", "peak MB"):
        table.add_column(heading, justify="right")
    table.add_row("none", f"{outcome.idle_rss / MB:.1f}")
    for size, peak in outcome.peak_rss.items():
        table.add_row(f"{size / MIB:g} MiB", f"{peak / MB:.1f}")
    return table


def _count(outcome: Outcome) -> int:
    return len(next(iter(outcome.runs.values())))
