"""`outlast reverify`: stored assets under the present checks."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from outlast.cli.connections import Connections, connections, opened
from outlast.cli.printable import printable
from outlast.cli.spans import TIME, since_of
from outlast.trouble import Unavailable
from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.assets import AssetsWanted, StoredAsset
    from outlast.custody.reverify import Outcome
    from shared.db.database import Database

MOST_TOLD = 1000
"""Assets that the report names."""

Since = Annotated[str, typer.Option(help=f"Only assets complete since then: 12h, 30d, or {TIME}, or a day.")]
Account = Annotated[str | None, typer.Option(help="Only assets of this account.")]
PolicyBelow = Annotated[int | None, typer.Option(help="Only assets proven under an older policy than this.", min=1)]
Limit = Annotated[int | None, typer.Option(help="Look at so many and end.", min=1)]
Again = Annotated[bool, typer.Option("--again", help="Also look at those that this release has looked at already.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per asset, one to a line, and one at the end.")]


def reverify(
    since: Since,
    account: Account = None,
    policy_below: PolicyBelow = None,
    limit: Limit = None,
    again: Again = False,
    as_json: Json = False,
) -> None:
    """Look at stored assets again with the checks of this release; nothing of them or their tasks is changed.

    \b
    outlast reverify --since 2026-01-01
    outlast reverify --since 90d --account studio --policy-below 2 --limit 1000 --json

    Each is read by its version, compared with its digest, and examined as its
    kind and with what was promised of it, in a sandbox on this machine. A run that
    was ended goes on where it was. Ends with 1 if any asset, of this run or of an
    earlier one of this release, would be refused now, has other bytes or is lost.

    Needs OUTLAST_OPERATOR_DATABASE_URL as the role outlast_operator, and
    OUTLAST_S3_ENDPOINT with a key that reads the assets; without any address the
    local stack of this folder is used. OUTLAST_PROBE_SECONDS,
    OUTLAST_PROBE_MEMORY_BYTES, OUTLAST_ACCEPT_UNDECODED and OUTLAST_WORK_DIR count
    as for the verifier.
    """
    told, begin = connections(), _instant(since)
    with opened(told.operator_database()) as database:
        from outlast.custody.assets import AssetsWanted
        from services.verifier.probe.versions import verifier_version

        wanted, version = AssetsWanted(begin, account, policy_below, again), verifier_version()
        try:
            counts = _look(told, database, wanted, version, limit, as_json=as_json)
        except Unavailable as error:
            raise UsageError(f"{error} What was looked at so far is kept: run it again.") from None
        differing = database.run(
            "reverifications_differing", verifier_version=version, since=begin, account=account, limit=MOST_TOLD
        )
    _report(counts, differing, version, as_json=as_json)
    raise typer.Exit(1 if differing else 0)


def _look(
    told: Connections, database: "Database", wanted: "AssetsWanted", version: str, limit: int | None, *, as_json: bool
) -> Counter[str]:
    """Look at them, tell of each, and count the verdicts."""
    from outlast.custody.reverify import reverifier
    from outlast.custody.reverify import reverify as looked_at
    from outlast.custody.variables import ProbeVariables

    counts = Counter[str]()
    with (
        _shown(wanted.since, as_json=as_json) as show,
        reverifier(told.store(), ProbeVariables.read()) as engine,
    ):
        for asset, outcome in looked_at(database, engine, wanted, version, limit):
            counts[outcome.verdict] += 1
            show(asset, outcome, counts)
    return counts


@contextmanager
def _shown(since: datetime, *, as_json: bool) -> Iterator[Any]:
    """Tells of each asset: as JSON, and on a terminal by a bar over the time from `since` to now."""
    console = Console(stderr=True)
    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, redirect_stdout=False) as bars:
        bar = bars.add_task("", total=max((datetime.now(UTC) - since).total_seconds(), 1.0))

        def show(asset: "StoredAsset", outcome: "Outcome", counts: Mapping[str, int]) -> None:
            done = (asset.completed_at - since).total_seconds()
            bars.update(bar, completed=done, description=_counted(counts))
            if as_json:
                told = {"account": asset.account, "verdict": outcome.verdict, "reason": outcome.reason}
                typer.echo(json.dumps({"task_id": str(asset.task_id), **told, "detail": outcome.detail}))

        yield show


def _report(counts: Mapping[str, int], differing: list[Mapping[str, Any]], version: str, *, as_json: bool) -> None:
    if as_json:
        named = [{name: _plain(value) for name, value in row.items()} for row in differing]
        typer.echo(json.dumps({"end": _counted(counts), "counts": counts, "version": version, "differing": named}))
        return
    typer.echo(f"{_counted(counts)}, with {version}.")
    for row in differing:
        why = ": ".join(filter(None, (row["reason"], row["detail"])))
        typer.echo(f"{row['task_id']}  {row['verdict']}  {printable(why)}")
        typer.echo(f"  {printable(row['durable_uri'] or '')}")
    if len(differing) == MOST_TOLD:
        typer.echo(f"The first {MOST_TOLD:,} are named; a later --since names others.")


def _counted(counts: Mapping[str, int]) -> str:
    """`1,204 looked at: 1,203 same, 1 refused`."""
    total, parts = sum(counts.values()), ", ".join(f"{number:,} {verdict}" for verdict, number in counts.items())
    return f"{total:,} looked at" + (f": {parts}" if parts else "")


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def _instant(text: str) -> datetime:
    """A time of `--since`; a day alone is its beginning, in UTC. Raises UsageError."""
    day = f"{text}T00:00:00Z" if len(text) == len("2026-01-01") and "T" not in text else text
    found = since_of("--since", day)
    if found is None:
        raise UsageError("Give --since.")
    return found
