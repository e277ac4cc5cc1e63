"""`outlast rejected purge`: deletes refused bytes before their time, after a look at what that is."""

import getpass
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import track

from outlast.cli.connections import connections, opened
from outlast.cli.rejected.naming import task_named
from outlast.cli.spans import TIME, since_of
from shared.errors import UsageError
from shared.redaction import redact

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.refused import Refused
    from shared.db.database import Database

MOST_LETTERS = 500
SHOWN = 10

Task = Annotated[
    str | None,
    typer.Argument(metavar="TASK_ID", help="The task whose refused bytes go, or the first 8 letters of its id."),
]
OlderThan = Annotated[str | None, typer.Option(help=f"In place of a task: all refused before then: 30d, or {TIME}.")]
Why = Annotated[str, typer.Option(help="Why, for the task's history.")]
By = Annotated[str, typer.Option(help="Who, for the same.", default_factory=getpass.getuser, show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object; needs --yes.")]


def purge(
    why: Why, by: By, task: Task = None, older_than: OlderThan = None, yes: Yes = False, as_json: Json = False
) -> None:
    """Delete refused bytes for good: of one task, or all that are older.

    \b
    outlast rejected purge 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --why "personal data"
    outlast rejected purge --older-than 14d --why "space" --yes --json

    Shows first what would go, and asks. Bytes with which a task was sent on since
    are left alone. What was cut short is ended by the same command again; a task
    whose bytes are purged begins with a new download when it is retried.

    Needs OUTLAST_OPERATOR_DATABASE_URL as the role outlast_operator, and
    OUTLAST_S3_ENDPOINT with a key that deletes in the staging bucket; without any
    address the local stack of this folder is used.
    """
    if (task is None) == (older_than is None):
        raise UsageError("Name a task, or give --older-than.")
    if not why.strip() or not by.strip():
        raise UsageError("--why and --by must not be empty.")
    if as_json and not yes:
        raise UsageError("--json cannot ask: give --yes too.")
    told = connections()
    with opened(told.operator_database()) as database:
        from outlast.custody.refused import purge as away

        found = _found(database, task, since_of("--older-than", older_than))
        free = [refused for refused in found if not refused.in_use]
        if not as_json:
            _preview(free, len(found) - len(free))
        if free and not yes:
            typer.confirm("Delete them for good?", abort=True)
        store, words = told.store(), redact(why.strip()[:MOST_LETTERS])
        shown = track(free, "purging", disable=as_json or not sys.stderr.isatty(), transient=True)
        purged = sum(away(database, store, refused, by=by.strip()[:MOST_LETTERS], why=words) for refused in shown)
    if as_json:
        typer.echo(json.dumps({"found": len(found), "purged": purged, "in_use": len(found) - len(free)}))
    else:
        typer.echo(f"Purged: {purged}.")


def _found(database: "Database", task: str | None, before: datetime | None) -> "list[Refused]":
    from outlast.custody.refused import of_task, older

    if before is not None:
        return older(database, before)
    return of_task(database, task_named(database, task)) if task else []


def _preview(free: "list[Refused]", in_use: int) -> None:
    for refused in free[:SHOWN]:
        at = f"{refused.rejected_at.astimezone(UTC):%Y-%m-%d %H:%M}"
        typer.echo(f"{refused.task_id}  claim {refused.epoch}  {at}  {refused.size:>14,} bytes  {refused.reason}")
    if len(free) > SHOWN:
        typer.echo(f"and {len(free) - SHOWN:,} more")
    typer.echo(f"{len(free):,} refused, {sum(refused.size for refused in free):,} bytes together.")
    if in_use:
        typer.echo(f"{in_use:,} are left alone: their tasks were sent on with them.")
