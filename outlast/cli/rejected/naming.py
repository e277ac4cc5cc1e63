"""Which task a person means by the id that a list printed, whole or its beginning."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.database import Database

TaskName = Annotated[str, typer.Argument(metavar="TASK_ID", help="The task, or the first 8 letters of its id.")]


def task_named(database: "Database", name: str) -> UUID:
    """The id of the one task of that name. Raises UsageError where there is none, or several."""
    from shared.db.listing import tasks_named

    tasks = tasks_named(database, name)
    if len(tasks) != 1:
        raise UsageError(f"Give the id of one task; {name} names {len(tasks) or 'none'}.")
    return tasks[0].task_id
