"""`outlast rejected fetch`: refused bytes into a file, for whoever has to look at them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from outlast.cli.connections import connections, opened
from outlast.cli.printable import printable
from outlast.cli.rejected.naming import TaskName, task_named
from outlast.reading import NotVerified
from outlast.trouble import Unavailable
from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.refused import Refused
    from shared.db.database import Database

WARNING = "Hostile: do not open it where it could do harm. It was refused as {reason}."

Epoch = Annotated[int | None, typer.Option(help="The claim that refused them; default: the latest that are kept.")]
To = Annotated[Path, typer.Option(help="The new file; its name gets the ending .hostile.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def fetch(task: TaskName, to: To, epoch: Epoch = None, as_json: Json = False) -> None:
    """Copy refused bytes into a new file that only you can read, compared with their digest.

    \b
    outlast rejected fetch 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --to clip
    outlast rejected fetch 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --epoch 2 --to clip

    The file is clip.hostile, for its content is: it may be made to take over the
    program that opens it. A file that exists is never overwritten.

    Needs OUTLAST_OPERATOR_DATABASE_URL as the role outlast_operator, and
    OUTLAST_S3_ENDPOINT with a key that reads the staging bucket; without any
    address the local stack of this folder is used.
    """
    told = connections()
    with opened(told.operator_database()) as database:
        refused = _latest(database, task_named(database, task), epoch)
    from outlast.custody.refused import fetch as into

    try:
        path = into(told.store(), refused, to)
    except NotVerified as error:
        raise UsageError(f"The bytes are not there as they were staged: {error.reason}.") from None
    except Unavailable as error:
        raise UsageError(str(error)) from None
    if as_json:
        kept = {"task_id": str(refused.task_id), "epoch": refused.epoch, "file": str(path), "size": refused.size}
        typer.echo(json.dumps({**kept, "sha256": refused.sha256, "reason": refused.reason}))
        return
    typer.echo(f"{printable(str(path))}  {refused.size:,} bytes, SHA-256 {refused.sha256}")
    typer.echo(WARNING.format(reason=refused.reason))


def _latest(database: "Database", task_id: UUID, epoch: int | None) -> "Refused":
    from outlast.custody.refused import of_task

    kept = of_task(database, task_id, epoch)
    if not kept:
        claim = "" if epoch is None else f" by its claim {epoch}"
        raise UsageError(f"Nothing is kept that was refused of the task {task_id}{claim}.")
    return kept[0]
