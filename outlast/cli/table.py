"""Many tasks, a line each."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlast.cli.printable import printable, shortened
from outlast.cli.spans import span
from shared.messages import OBJECT

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

WIDE = 120
"""Columns from which on whole task ids are printed; a file or a pipe is that wide."""
SHORT_ID, WHOLE_ID = 8, 36
MOST_LETTERS = 80
"""Of the names of an output."""
READ_FOR_ONE = {"evidence", "processor_version", "derived_from", "provenance"}
"""Fields that a listing does not read."""


def print_tasks(console: Console, tasks: Sequence["PublicTask"], *, as_json: bool) -> None:
    """Print a table, or a JSON object to a line."""
    if as_json:
        for task in tasks:
            typer.echo(json.dumps(task.model_dump(mode="json", exclude=READ_FOR_ONE), ensure_ascii=False))
        return
    if not console.is_terminal:
        console.width = max(console.width, 2 * WIDE)
    if tasks:
        console.print(_table(tasks, whole_ids=console.width >= WIDE))


def _table(tasks: Iterable["PublicTask"], *, whole_ids: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=not whole_ids)
    for name, letters in (("Task", WHOLE_ID if whole_ids else SHORT_ID), ("State", 15), ("Age", 6)):
        table.add_column(name, no_wrap=True, min_width=letters)
    for name, share in (("Account", 2), ("Output", 4), ("Why", 4)):
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=None if whole_ids else share)
    now = datetime.now(UTC)
    for task in tasks:
        task_id = str(task.task_id) if whole_ids else str(task.task_id)[:SHORT_ID]
        age = span((now - task.accepted_at).total_seconds())
        output = shortened(_output(task), MOST_LETTERS)
        words = (task_id, task.state, age, task.account, output, _why(task, now))
        # As text, for a name may look like markup.
        table.add_row(*(Text(printable(word)) for word in words))
    return table


def _output(task: "PublicTask") -> str:
    """What people call an output; of an object its key says little."""
    name = task.display_name if task.provider == OBJECT else None
    return f"{task.provider} {name or f'{task.job_id} {task.output_id}'}"


def _why(task: "PublicTask", now: datetime) -> str:
    """What a person should know of a task that is not well."""
    end = task.deadline or task.url_expires_at
    left = f", {span((end - now).total_seconds())} left" if end and end > now else ""
    return ", ".join(filter(None, (task.reason, f"at risk{left}" if task.at_risk else None)))
