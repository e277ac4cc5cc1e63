"""How one task stands, printed for a person or as JSON."""

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.console import Console
from rich.table import Table

from outlast.following import sentence
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask


def print_outcome(console: Console, task_id: UUID, task: "PublicTask | None", *, as_json: bool) -> None:
    """Print the asset of a complete task, else state and reason; `task` is None while it is unknown."""
    if as_json:
        shown = {"task_id": str(task_id), "state": None} if task is None else _as_json(task)
        console.print_json(json.dumps(shown))
        return
    table = Table.grid(padding=(0, 2))
    for name, value in _lines(task_id, task):
        table.add_row(f"[bold]{name}[/bold]", value)
    console.print(table)


def facts(media: dict[str, Any] | None) -> str:
    """The facts of a media file in one line: `duration_seconds 4.02, width 640`; empty without any."""
    told = (media or {}).items()
    return ", ".join(
        f"{name} {value if isinstance(value, str | int | float) else json.dumps(value)}"
        for name, value in told
        if value is not None
    )


def _lines(task_id: UUID, task: "PublicTask | None") -> list[tuple[str, str]]:
    lines = [("Task", str(task_id)), ("State", "not seen yet" if task is None else task.state)]
    if task is None:
        return lines
    if task.state == State.COMPLETE:
        asset = [("Asset", task.durable_uri), ("Size", f"{task.size:,} bytes"), ("SHA-256", task.sha256)]
        return lines + [
            (name, str(value)) for name, value in [*asset, ("Kind", task.kind), ("Facts", facts(task.media))]
        ]
    if task.reason:
        lines += [("Reason", task.reason), ("", sentence(task))]
    return lines


def _as_json(task: "PublicTask") -> dict[str, Any]:
    return {**task.model_dump(mode="json"), "sentence": sentence(task) or None}
