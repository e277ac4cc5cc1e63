"""`outlast sweep`: deletes what nobody needs any more."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from outlast.cli.connections import connections, opened
from outlast.cli.printable import printable
from outlast.cli.spans import instant_of, seconds_of

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.sweep import Found, Ground, Tally

DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would go, and delete nothing.")]
Grace = Annotated[str | None, typer.Option(help="In place of OUTLAST_SWEEP_GRACE_SECONDS: 36h, 7d.")]
Unknown = Annotated[bool, typer.Option("--unknown", help="Also staged objects whose task the database does not have.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per thing, one to a line, and one at the end.")]
Now = Annotated[str | None, typer.Option(help="For tests: judge as if it were then.", hidden=True)]


def sweep(
    dry_run: DryRun = False, grace: Grace = None, unknown: Unknown = False, as_json: Json = False, now: Now = None
) -> None:
    """Delete staged bytes, uploads, refused bytes and links that nobody needs any more.

    \b
    outlast sweep --dry-run
    outlast sweep --grace 36h --json

    For a clock such as cron, once an hour; several may run at once, and one that
    was killed is ended by the next. Age alone never decides: staged bytes go when
    their claim lost or their task is over, a grace time ago. Objects that nobody
    owns are told and stay. Ends with 1 if the store refused a deletion.

    Needs OUTLAST_SWEEPER_DATABASE_URL (and its _PASSWORD_FILE if wished), as the
    role outlast_sweeper, and OUTLAST_S3_ENDPOINT with a key that lists both buckets
    and deletes in OUTLAST_STAGING_BUCKET; without any address the local stack of
    this folder is used. docs/custody.md tells the rule.
    """
    told = connections()
    with opened(told.sweeper_database()) as database:
        from outlast.custody.sweep import Fate, Ground, present
        from outlast.custody.variables import SweepVariables

        limits = SweepVariables.read()
        ground = Ground(
            database=database,
            store=told.store(),
            staging_bucket=limits.staging_bucket,
            assets_bucket=limits.assets_bucket,
            now=instant_of("--now", now) or present(database),
            grace=timedelta(seconds=seconds_of("--grace", grace) if grace else limits.sweep_grace_seconds),
            dry_run=dry_run,
            unknown=unknown,
        )
        tally = _swept(ground, as_json=as_json)
    if as_json:
        typer.echo(json.dumps({"end": tally.told(), "dry_run": dry_run}))
    else:
        _report(tally)
    raise typer.Exit(1 if tally.of(Fate.FAILED) else 0)


def _swept(ground: "Ground", *, as_json: bool) -> "Tally":
    """Sweep, tell of everything that does not simply stay, and count."""
    from outlast.custody.sweep import Fate, Tally
    from outlast.custody.sweep import sweep as found_by

    tally = Tally()
    with _progress() as show:
        for found in found_by(ground):
            tally.add(found)
            show(found)
            if found.fate is not Fate.KEPT and (as_json or found.fate is not Fate.DELETED):
                typer.echo(_as_json(found) if as_json else _line(found))
    return tally


@contextmanager
def _progress() -> Iterator[Callable[["Found"], None]]:
    """On a terminal: what is looked at now, and how many so far."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, redirect_stdout=False) as bars:
        bar = bars.add_task("looked at", total=None)
        yield lambda found: bars.update(bar, advance=1, description=f"{found.step}: looked at")


def _line(found: "Found") -> str:
    return f"{found.step:<9} {found.fate:<9} {found.size:>14,} bytes  {printable(found.name)}  ({found.why})"


def _as_json(found: "Found") -> str:
    named = {"step": found.step, "fate": found.fate, "name": found.name, "bytes": found.size, "why": found.why}
    return json.dumps(named)


def _report(tally: "Tally") -> None:
    if not tally.things:
        typer.echo("Nothing is there.")
    for step, fates in tally.told().items():
        parts = [f"{one['count']:,} {fate} ({one['bytes']:,} bytes)" for fate, one in fates.items()]
        typer.echo(f"{step}: {', '.join(parts)}")
