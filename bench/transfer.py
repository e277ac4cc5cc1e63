"""`make bench-transfer`: one object from a link into the store, by us and by others, and the memory that we take."""

import os
import statistics
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from bench.outcome import MIB, Outcome
from bench.place import RESULTS
from bench.quiet import await_quiet
from bench.stand import OURS, TOOLS, Stand, stand
from bench.tables import console_for_tables, print_transfers
from shared.errors import UsageError

SIZE_MIB = 1024
REPETITIONS = 5
MEMORY_MIB = (10, 100, 1024, 4096)
QUICK_MIB = 64


def main(
    repetitions: Annotated[int, typer.Option(min=1, help="Measured transfers of each tool.")] = REPETITIONS,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, once: to try it, not to measure.")] = False,
) -> None:
    """Compare our downloader with `rclone copyurl` and `curl | s5cmd pipe`, on one source and one Ceph RGW."""
    console = console_for_tables()
    size, memory = (QUICK_MIB, (10, QUICK_MIB)) if quick else (SIZE_MIB, MEMORY_MIB)
    try:
        with stand(console) as ready:
            outcome = measured(ready, size * MIB, 1 if quick else repetitions, [m * MIB for m in memory], console)
    except UsageError as error:
        console.print(f"[red]{error}[/]")
        sys.exit(2)
    print_transfers(outcome, console)
    outcome.write(RESULTS / "transfer.json")
    console.print(f"Written to {RESULTS / 'transfer.json'}.")


def measured(ready: Stand, size: int, repetitions: int, memory: Sequence[int], console: Console) -> Outcome:
    """All measurements, one after the other; sizes in bytes."""
    outcome = Outcome(size, ready.rivals.versions(), {tool: [] for tool in TOOLS})
    await_quiet(console)
    outcome.load_before = os.getloadavg()[0]
    outcome.source_seconds = statistics.median(ready.source.seconds(size) for _ in range(3))
    _compare(ready, outcome, repetitions, console)
    for one in memory:
        with console.status(f"memory at {one // MIB} MiB"):
            ready.downloader.start()
            outcome.idle_rss = ready.downloader.peak_rss()
            outcome.peak_rss[one] = ready.bring(OURS, one).peak_rss
    outcome.load_after = os.getloadavg()[0]
    return outcome


def _compare(ready: Stand, outcome: Outcome, repetitions: int, console: Console) -> None:
    """Run the tools by turns, in another order each round; a first round warms all up and proves the bytes."""
    ready.downloader.start()
    digest = ready.source.sha256(outcome.size)
    for number in range(repetitions + 1):
        turn = number % len(TOOLS)
        for tool in (*TOOLS[turn:], *TOOLS[:turn]):
            with console.status(f"{tool}, round {number} of {repetitions}"):
                await_quiet(console)
                run = ready.bring(tool, outcome.size, None if number else digest)
            if number:
                outcome.runs[tool].append(run)


if __name__ == "__main__":
    typer.run(main)
