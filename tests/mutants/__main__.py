"""The whole run: `python -m tests.mutants`, which `make mutants` calls."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import SystemRandom

from rich.console import Console
from rich.table import Table

from tests.media.damage import WAYS
from tests.mutants.making import good_files
from tests.mutants.running import Result, run_all

TELL_EVERY = 500
MOST_FAULTS = 30
PLAIN_WIDTH = 150


def main() -> int:
    """Run the mutants that the arguments name; 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=10_000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=None, help="a seed that was printed; the same mutants again")
    parser.add_argument("--case", type=int, default=None, help="the number of one mutant, to run it alone")
    told = parser.parse_args()
    seed = SystemRandom().randrange(2**31) if told.seed is None else told.seed
    numbers = range(told.number) if told.case is None else [told.case]
    console = Console()
    console = console if console.is_terminal else Console(width=PLAIN_WIDTH)
    console.print(f"{len(numbers):,} mutants of {len(good_files())} good files, SEED={seed}", highlight=False)
    results = _run(console, seed, numbers)
    if told.case is None:
        console.print(_table(results))
    else:
        console.print(results[0].verdict.model_dump_json(indent=2, exclude_none=True))
    _tell(console, seed, results)
    return 1 if any(result.fault for result in results) else 0


def _run(console: Console, seed: int, numbers: Sequence[int]) -> list[Result]:
    began, results = time.monotonic(), list[Result]()
    for result in run_all(seed, numbers):
        results.append(result)
        if len(results) % TELL_EVERY == 0:
            faults = sum(bool(done.fault) for done in results)
            console.print(f"  {len(results):,} in {time.monotonic() - began:.0f} s, {faults} faults", highlight=False)
    return results


def _table(results: Sequence[Result]) -> Table:
    """A row for each way of damage, a column for each end."""
    reasons = sorted({result.verdict.reason for result in results if result.verdict.reason})
    table = Table(title="What became of the mutants")
    for heading in ("damage", "mutants", "accepted", *reasons, "child died", "slowest s"):
        table.add_column(str(heading), justify="left" if heading == "damage" else "right")
    for way in (*(way.__name__ for way in WAYS), "all"):
        some = [result for result in results if way in (result.mutant.way, "all")]
        ends = Counter(result.verdict.reason for result in some)
        deaths, slowest = sum(result.is_death for result in some), max((result.seconds for result in some), default=0.0)
        figures = (len(some), *(ends[reason] for reason in (None, *reasons)), deaths)
        table.add_row(way, *(f"{figure:,}" for figure in figures), f"{slowest:.1f}")
    return table


def _tell(console: Console, seed: int, results: Sequence[Result]) -> None:
    faults = [result for result in results if result.fault]
    deaths = [result for result in results if result.is_death]
    for result in faults[:MOST_FAULTS]:
        again = f"run it again: make mutants SEED={seed} CASE={result.mutant.number}"
        console.print(f"[red]{result.mutant.source}, {result.mutant.way}:[/] {result.fault}  {again}", highlight=False)
    for result in deaths[:MOST_FAULTS]:
        text = f"{result.mutant.number}: {result.mutant.source}, {result.mutant.way}: {result.verdict.detail}"
        console.print(f"died at {text}", highlight=False, markup=False)
    console.print(f"{len(results):,} mutants, {len(faults)} faults, {len(deaths)} children died, SEED={seed}")


if __name__ == "__main__":
    sys.exit(main())
