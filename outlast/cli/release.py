"""`outlast release`: a person lets an output go on that is held for review, or rejects it for good."""

import getpass
import json
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from deploy.local.spoken import outlast
from outlast.cli.connections import connections, opened
from shared.errors import UsageError
from shared.reasons import Reason
from shared.redaction import redact

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

MOST_LETTERS = 500
MOST_LETTERS_OF_A_NAME = 100


def release(
    task_id: Annotated[UUID, typer.Argument(help="The task, as `outlast list --reason held_for_review` shows it.")],
    why: Annotated[str, typer.Option(help="Why, for the task's history.")],
    by: Annotated[str | None, typer.Option(help="Who decides; default: the user of this machine.")] = None,
    reject: Annotated[bool, typer.Option("--reject", help="Reject it instead: the task is closed for good.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let an output go on that is held for review: it is placed as it was proven.

    \b
    outlast release 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --why "all staff"
    outlast release 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --reject --why "a secret"

    Its flags travel with the asset. With --reject the task is abandoned, its
    bytes are marked as rejected, and no new link opens it again. Needs
    OUTLAST_OPERATOR_DATABASE_URL (and its _PASSWORD_FILE if wished), as the role
    outlast_operator; without any address the local stack of this folder is used.
    """
    if not why.strip():
        raise UsageError("--why is empty: say what you saw.")
    values = {
        "why": redact(why.strip()[:MOST_LETTERS]),
        "detail": {"by": redact((by or getpass.getuser()).strip()[:MOST_LETTERS_OF_A_NAME])},
    }
    with opened(connections().operator_database()) as database:
        from shared.db.views import read_task

        held = _held(task_id, read_task(database, task_id))
        moved = database.one("release_refused" if reject else "released", task_id=held.task_id, **values)
    if moved is None:
        raise UsageError(f"Somebody else has decided meanwhile. See: {outlast('show', str(task_id))}")
    if as_json:
        typer.echo(json.dumps({"task_id": str(held.task_id), **moved}))
    else:
        typer.echo(
            f"The output is rejected: the task is {moved['state']}." if reject else "The task goes on as promoting."
        )


def _held(task_id: UUID, task: "PublicTask | None") -> "PublicTask":
    if task is None:
        raise UsageError(f"No task has the id {task_id}.")
    if task.reason != Reason.HELD_FOR_REVIEW:
        stands = f"{task.state}, {task.reason}" if task.reason else task.state
        raise UsageError(f"The task {task_id} is {stands}: only one that is {Reason.HELD_FOR_REVIEW} can be released.")
    return task
