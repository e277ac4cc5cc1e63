"""`outlast retry`: an operator sends a task that needs attention on its way again."""

import json
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from deploy.local.spoken import outlast
from outlast.cli.connections import connections, opened
from shared.errors import UsageError
from shared.reasons import Reason
from shared.redaction import redact
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

MOST_LETTERS = 500
ASKED = "Its provider is asked for the job again, where its entry says how; else it waits for an event."
NO_SOURCE = "No usable link is left: unless its provider's entry can give a fresh one, it will stop again. Send one:"


def retry(
    task_id: Annotated[UUID, typer.Argument(help="The task, as `outlast publish` printed it.")],
    why: Annotated[str, typer.Option(help="What has changed, for the task's history.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Send a task that needs attention on: from the last stage whose bytes are kept, else from its source.

    A job that stopped before any output of it was known is asked for again.

    \b
    outlast retry 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --why "key renewed"

    A task without any bytes also goes on by itself when `outlast publish` sends
    a fresh link. Needs OUTLAST_OPERATOR_DATABASE_URL (and its _PASSWORD_FILE if
    wished), as the role outlast_operator; without any address the local stack of
    this folder is used.
    """
    if not why.strip():
        raise UsageError("--why is empty: say what has changed.")
    with opened(connections().operator_database()) as database:
        from shared.db.views import read_task

        task = _stopped(task_id, read_task(database, task_id))
        moved = database.one("operator_retry", task_id=task_id, why=redact(why.strip()[:MOST_LETTERS]))
        if moved is None:
            raise UsageError(f"The task {task_id} went on by itself meanwhile. See: {outlast('show', str(task_id))}")
    if as_json:
        typer.echo(json.dumps({"task_id": str(task_id), **moved}))
        return
    typer.echo(f"The task goes on as {moved['state']}.")
    if moved["state"] == State.GENERATING:
        typer.echo(ASKED)
    if moved["state"] == State.OUTPUT_READY and not moved["has_source"]:
        typer.echo(f"{NO_SOURCE}\n{_command(task)}")


def _stopped(task_id: UUID, task: "PublicTask | None") -> "PublicTask":
    if task is None:
        raise UsageError(f"No task has the id {task_id}.")
    if task.reason == Reason.HELD_FOR_REVIEW:
        command = outlast("release", str(task_id), "--why", "...")
        raise UsageError(f"The task {task_id} is held for review, and no retry goes past that. Decide it: {command}")
    if task.state != State.NEEDS_ATTENTION:
        raise UsageError(f"The task {task_id} is {task.state}: only one that is needs_attention can be sent on.")
    return task


def _command(task: "PublicTask") -> str:
    names = {"account": task.account, "provider": task.provider, "job": task.job_id, "output": task.output_id}
    return outlast("publish", "--url", "-", *(word for name, value in names.items() for word in (f"--{name}", value)))
