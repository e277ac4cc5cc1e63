"""`outlast show`: one task with its story, or the tasks of a job or an operation."""

import json
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from outlast.cli.connections import connections, opened
from outlast.cli.outcome import as_json_of, print_outcome
from outlast.cli.story import print_story
from outlast.cli.table import print_tasks

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.database import Database
    from shared.db.story import Story

MOST_ACTS = 100
"""Acts and claims that are told to a person; JSON holds every one."""

Name = Annotated[str, typer.Argument(metavar="ID", help="A task id or its first 8 letters, a job, or an operation.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print everything: one JSON object, or for several tasks a line each.")
]


def show(name: Name, as_json: Json = False) -> None:
    """Show one task: where it stands, its asset or why it stopped, and its story.

    \b
    outlast show b9c8a1f2        a task, by the beginning of its id
    outlast show job-42          a job of a provider, or an operation of yours
    outlast show job-42 --json   with every claim and all evidence

    Several tasks of that name are listed. Ends with 1 if there is none.

    Needs OUTLAST_DATABASE_URL (and its _PASSWORD_FILE if wished), as the role
    outlast_reader; without it the local stack of this folder is used.
    """
    with opened(connections().database()) as database:
        from shared.db.listing import tasks_named

        tasks = tasks_named(database, name)
        if len(tasks) == 1:
            _show_one(database, tasks[0].task_id, as_json=as_json)
        elif tasks:
            print_tasks(Console(), tasks, as_json=as_json)
    if not tasks:
        _say_unknown(name, as_json=as_json)
        raise typer.Exit(1)


def _show_one(database: "Database", task_id: UUID, *, as_json: bool) -> None:
    from shared.db.story import read_story
    from shared.db.views import read_task

    task = read_task(database, task_id)
    story = read_story(database, task_id, most=None if as_json else MOST_ACTS)
    if task is not None and as_json:
        typer.echo(json.dumps({**as_json_of(task), **_as_json(story)}, ensure_ascii=False))
        return
    print_outcome(Console(), task_id, task, as_json=as_json)
    print_story(Console(), story, cut=len(story.history) == MOST_ACTS)


def _as_json(story: "Story") -> dict[str, Any]:
    return {
        part: [row.model_dump(mode="json") for row in rows]
        for part, rows in (
            ("events", story.events),
            ("sources", story.sources),
            ("claims", story.claims),
            ("history", story.history),
            ("processing", story.processing),
            ("jobs", story.jobs),
            ("rejected", story.rejected),
            ("reverifications", story.reverifications),
        )
    }


def _say_unknown(name: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"id": name, "state": None}))
    else:
        typer.echo(f"No task, job or operation is called {name}. An event that was just sent may not be read yet.")
