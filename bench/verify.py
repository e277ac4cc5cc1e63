"""`make bench-verify`: what the sandbox costs an image, and the memory that a large video takes."""

import json
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.corpus.pipeline import Pipeline, offer, pipeline
from bench.large_video import Peaks, watched, write_video
from bench.outcome import MB, MIB
from bench.place import RESULTS, fresh_folder
from bench.proving import PROBE, TWO_BARE, WITH_STORE, proving, rate
from bench.quiet import await_quiet
from bench.tables import console_for_tables, print_goal
from deploy.local.object_store import REGION
from shared.errors import UsageError
from shared.messages import Kind
from shared.objects import Store
from shared.states import State

IMAGES, TIMES, ROUNDS = 24, 5, 5
VIDEO_BYTES = 1024 * MIB
RATIO_GOAL, PEAK_GOAL_MB = 0.5, 256.0
Rates = Mapping[str, Sequence[float]]


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, in each of which every way has its turn.")] = ROUNDS,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few images, a small video: to try it, not to measure.")
    ] = False,
) -> None:
    """Compare the probe with the bare checks on images of 200 KB, then verify a video of 1 GiB."""
    console, size = console_for_tables(), VIDEO_BYTES // 16 if quick else VIDEO_BYTES
    try:
        with fresh_folder() as folder, pipeline(folder) as running:
            await_quiet(console)
            load = os.getloadavg()[0]
            rates = _rates(console, running, 2 if quick else rounds, 2 if quick else TIMES)
            peaks, seconds = _large(console, running, size)
    except UsageError as error:
        console.print(f"[red]{error}[/]")
        sys.exit(2)
    outcome = {
        **as_json(rates),
        "video": {"bytes": size, "seconds": round(seconds, 1), **peaks_as_json(peaks)},
        "load_average": {"before": load, "after": os.getloadavg()[0]},
    }
    _print(console, rates, size, outcome)
    (RESULTS / "verify.json").write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    console.print(f"Written to {RESULTS / 'verify.json'}.")


def as_json(rates: Rates) -> dict[str, Any]:
    """The figures by their names; a ratio is the median of those of each round, so that a slow minute counts little."""
    medians = {way: statistics.median(each) for way, each in rates.items()}
    return {
        "probe_vs_bare": _ratio(rates, PROBE),
        "store_and_probe_vs_bare": _ratio(rates, WITH_STORE),
        "images_per_second": {way: round(median, 1) for way, median in medians.items()},
        "rounds": {way: [round(one, 1) for one in each] for way, each in rates.items()},
    }


def _ratio(rates: Rates, way: str) -> float:
    """Against as many bare loops at once."""
    return round(statistics.median(one / bare for one, bare in zip(rates[way], rates[TWO_BARE], strict=True)), 3)


def peaks_as_json(peaks: Peaks) -> dict[str, Any]:
    """Memory in millions of bytes."""
    return {
        "peak_rss_mb": {name: round(peak / MB, 1) for name, peak in peaks.resident.items()},
        "peak_rss_sum_mb": round(peaks.added / MB, 1),
        "peak_pss_mb": round(peaks.together / MB, 1),
    }


def _rates(console: Console, running: Pipeline, rounds: int, times: int) -> dict[str, list[float]]:
    server = running.stack.store
    store = Store.open(server.address(), REGION, server.access_key, server.secret_key, part_bytes=8 * MIB)
    with console.status("making images"), proving(store, IMAGES) as (here, names):
        ways = here.ways()
        results: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(rounds + 1):
            for way, run in ways.items():
                figure = rate(run, names * times)
                # The first round warms up.
                if number:
                    results[way].append(figure)
    return results


def _large(console: Console, running: Pipeline, size: int) -> tuple[Peaks, float]:
    """Bring a video through the whole of Outlast; what its verification took."""
    verifier, probe = running.processes()
    with TemporaryDirectory() as folder, console.status("verifying a large video"):
        path = Path(folder) / "large.mov"
        write_video(path, size)
        with watched(verifier, probe) as peaks, Progress(console=Console(stderr=True), disable=True) as progress:
            (found,) = running.capture([(offer(0, path.name, path), Kind.VIDEO)], progress)
    if found.state != State.COMPLETE or found.seconds is None:
        raise UsageError(f"The video was not accepted: {found.state} {found.reason} {found.detail}")
    return peaks, found.seconds


def _print(console: Console, rates: Rates, size: int, outcome: Mapping[str, Any]) -> None:
    table = Table(title=f"Images of 200 KB (median of {len(rates[PROBE])} rounds)")
    for heading in ("way", "images/s", "slowest to fastest"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    for way, each in rates.items():
        table.add_row(way, f"{statistics.median(each):.0f}", f"{min(each):.0f} to {max(each):.0f}")
    console.print(table)
    video, load = outcome["video"], outcome["load_average"]
    memory = Table(title=f"A video of {size / MIB:g} MiB, verified in {video['seconds']} s: peaks of memory in MB")
    for name in video["peak_rss_mb"]:
        memory.add_column(f"{name} (RSS)", justify="right")
    memory.add_column("sum", justify="right")
    memory.add_column("all at once (PSS)", justify="right")
    figures = (*video["peak_rss_mb"].values(), video["peak_rss_sum_mb"], video["peak_pss_mb"])
    memory.add_row(*map(str, figures))
    console.print(memory)
    console.print(f"Load average: {load['before']:.2f} before, {load['after']:.2f} after.")
    print_goal(console, "the probe against the bare checks", outcome["probe_vs_bare"], RATIO_GOAL, at_least=True)
    with_store = outcome["store_and_probe_vs_bare"]
    print_goal(console, "store and probe against the bare checks", with_store, RATIO_GOAL, at_least=True)
    print_goal(console, "memory of verifier, probe and child, MB (sum of RSS)", video["peak_rss_sum_mb"], PEAK_GOAL_MB)


if __name__ == "__main__":
    typer.run(main)
