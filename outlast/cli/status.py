"""`outlast status` and `outlast show`: how the tasks stand."""

import json
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console
from rich.table import Table

from outlast.cli.connections import connections, opened
from outlast.cli.outcome import print_outcome

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(
    task_id: Annotated[UUID, typer.Argument(help="The task, as `outlast publish` printed it.")],
    as_json: Json = False,
) -> None:
    """Show one task: its asset, or why it stopped. Ends with 1 if the task is not known."""
    with connections().reader() as read:
        task = read(task_id)
    print_outcome(Console(), task_id, task, as_json=as_json)
    raise typer.Exit(0 if task else 1)


def status(as_json: Json = False) -> None:
    """Count the tasks by state, with the age of the oldest in each."""
    with opened(connections().database()) as database:
        rows = database.run("status")
    if as_json:
        typer.echo(json.dumps([dict(row) for row in rows]))
        return
    table = Table("State", "Tasks", "Oldest, seconds", title="Tasks")
    for row in rows:
        table.add_row(row["state"], str(row["tasks"]), f"{row['oldest_seconds']:.0f}")
    Console().print(table if rows else "No task yet.")
