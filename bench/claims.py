"""`make bench-claims`: what a claim costs among a thousand tasks and among a million."""

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bench.filling import BARRED, CROWD, READY, Filled, Rows
from bench.place import RESULTS, fresh_folder
from bench.quiet import await_quiet
from bench.tables import console_for_tables, print_goal
from deploy.local.credentials import Credentials
from deploy.local.parts import bring_up
from deploy.local.ports import settle
from deploy.local.postgres import Postgres
from deploy.local.process import stop_all
from shared.db import Database
from shared.errors import UsageError
from shared.lanes import Barred
from shared.states import Stage
from shared.tasks.claims import Claims

SMALL = Rows(ready=1_000, crowded=1_000)
LARGE = Rows(ready=1_000_000, waiting=100_000, capped=100_000, crowded=100_000)
QUICK = Rows(ready=20_000, waiting=2_000, capped=2_000, crowded=2_000)
BESIDE = replace(BARRED, crowded=(CROWD,))
CLAIMS = 3_000
BLOCK = 100
"""Claims that are made before the other database has its turn, and are then made up for by new tasks."""

RATIO_GOAL = 1.5
LEASE_SECONDS = 7200.0
START_SECONDS = 60.0


@dataclass
class Side:
    """One database, and the milliseconds of each claim on it, before and after the crowd came."""

    name: str
    rows: Rows
    filled: Filled
    ordinary: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)


def main(
    claims: Annotated[int, typer.Option(min=BLOCK, help="Claims measured on each database.")] = CLAIMS,
    quick: Annotated[bool, typer.Option("--quick", help="Few rows and claims: to try it, not to measure.")] = False,
) -> None:
    """Compare the cost of a claim at 1,000 ready tasks and at 1,000,000 with others in the way."""
    console = console_for_tables()
    try:
        with _server() as server:
            sides = [_side(server, "small", SMALL), _side(server, "large", QUICK if quick else LARGE)]
            for side in sides:
                with console.status(f"filling the {side.name} one"):
                    side.filled.fill(side.rows)
            await_quiet(console)
            load = os.getloadavg()[0]
            with console.status("claiming"):
                _measure(sides, 2 * BLOCK if quick else claims)
    except UsageError as error:
        console.print(f"[red]{error}[/]")
        sys.exit(2)
    _print(console, sides, load)
    outcome = {**as_json(sides), "load_average": {"before": load, "after": os.getloadavg()[0]}}
    (RESULTS / "claims.json").write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    console.print(f"Written to {RESULTS / 'claims.json'}.")


def as_json(sides: Sequence[Side]) -> dict[str, Any]:
    """The figures by their names; the second side is compared with the first."""
    small, large = sides
    return {
        **_ratios(small.ordinary, large.ordinary),
        "beside_a_crowd": _ratios(small.beside, large.beside),
        **{
            side.name: {
                **asdict(side.rows),
                **_figures(side.ordinary),
                "beside_a_crowd": _figures(side.beside),
            }
            for side in sides
        },
    }


def _ratios(small: Sequence[float], large: Sequence[float]) -> dict[str, float]:
    return {
        "median_ratio": round(statistics.median(large) / statistics.median(small), 3),
        "p99_ratio": round(percentile(large, 0.99) / percentile(small, 0.99), 3),
    }


def _figures(milliseconds: Sequence[float]) -> dict[str, float]:
    return {
        "claims": len(milliseconds),
        "median_ms": round(statistics.median(milliseconds), 3),
        "p99_ms": round(percentile(milliseconds, 0.99), 3),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that at least `share` (0 to 1) of them do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


@contextmanager
def _server() -> Iterator[Postgres]:
    """A private Postgres that forces its writes to the disk, as in production."""
    with fresh_folder() as folder:
        server = Postgres(folder, settle({}, ["postgres"]), Credentials(folder / "secrets"), fast=False)
        try:
            bring_up([server], None, detach=False, seconds=START_SECONDS)
            yield server
        finally:
            stop_all([server.process])


def _side(server: Postgres, name: str, rows: Rows) -> Side:
    return Side(name, rows, Filled(server, f"claims_{name}"))


def _measure(sides: Sequence[Side], count: int) -> None:
    """Claim on both, then beside a crowd."""
    databases = [Database(side.filled.url("downloader"), connections=1, name="bench") for side in sides]
    try:
        stages = [Claims(database, Stage.DOWNLOAD, "bench", LEASE_SECONDS) for database in databases]
        _take_turns(sides, stages, count, BARRED, [side.ordinary for side in sides])
        for side in sides:
            side.filled.add_crowd(side.rows.crowded)
        _take_turns(sides, stages, count, BESIDE, [side.beside for side in sides])
    finally:
        for database in databases:
            database.close()


def _take_turns(
    sides: Sequence[Side], stages: Sequence[Claims], count: int, barred: Barred, results: Sequence[list[float]]
) -> None:
    """Claim on both by turns, so that what disturbs one disturbs the other as well."""
    for _ in range(count // BLOCK):
        for side, stage, milliseconds in zip(sides, stages, results, strict=True):
            milliseconds += [_milliseconds(stage, barred) for _ in range(BLOCK)]
            side.filled.add_ready(BLOCK)


def _milliseconds(stage: Claims, barred: Barred) -> float:
    began = time.perf_counter()
    claim = stage.take(barred)
    spent = time.perf_counter() - began
    if claim is None or claim.provider != READY:
        raise RuntimeError(f"the claim took {claim.provider if claim else 'nothing'}")
    return spent * 1000


def _print(console: Console, sides: Sequence[Side], load: float) -> None:
    table = Table(title="One claim of a download")
    for heading in ("ready", "not yet due", "in front, barred", "in front, crowd", "claims", "median ms", "p99 ms"):
        table.add_column(heading, justify="right")
    for side in sides:
        for crowd, spent in ((0, side.ordinary), (side.rows.crowded, side.beside)):
            rows = (f"{count:,}" for count in (side.rows.ready, side.rows.waiting, side.rows.capped, crowd, len(spent)))
            table.add_row(*rows, f"{statistics.median(spent):.2f}", f"{percentile(spent, 0.99):.2f}")
    console.print(table)
    console.print(f"Load average: {load:.2f} before, {os.getloadavg()[0]:.2f} after.")
    figures = as_json(sides)
    for what, ratios in (("", figures), (" beside a crowd", figures["beside_a_crowd"])):
        print_goal(console, f"median{what} against that at 1,000", ratios["median_ratio"], RATIO_GOAL)
        print_goal(console, f"p99{what} against that at 1,000", ratios["p99_ratio"], RATIO_GOAL)


if __name__ == "__main__":
    typer.run(main)
