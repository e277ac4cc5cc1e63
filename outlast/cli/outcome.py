"""How one task stands, printed for a person or as JSON."""

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.console import Console

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
    for name, value in _lines(task_id, task):
        # Never broken into lines: an address must be good to copy.
        console.print(f"{name:<9} {value}", markup=False, highlight=False, soft_wrap=True)


def facts(media: dict[str, Any] | None) -> str:
    """What a person asks first about a media file, in one line: `video/mp4, 4.02 s, 640 x 360, h264 aac`."""
    told = media or {}
    duration, width, pages = (told.get(name) for name in ("duration_seconds", "width", "pages"))
    parts = (
        told.get("content_type"),
        f"{duration:.2f} s" if duration is not None else None,
        f"{width} x {told.get('height')}" if width is not None else None,
        " ".join(told.get("codecs") or ()),
        f"{pages} page{'s' if pages != 1 else ''}" if pages is not None else None,
    )
    return ", ".join(filter(None, parts))


def _lines(task_id: UUID, task: "PublicTask | None") -> list[tuple[str, str]]:
    lines = [("Task", str(task_id)), ("State", "not seen yet" if task is None else task.state)]
    if task is None:
        return lines
    if task.state == State.COMPLETE:
        return [*lines, *_asset(task)]
    if task.reason:
        lines += [("Reason", task.reason), ("", sentence(task))]
    return lines


def _asset(task: "PublicTask") -> list[tuple[str, str]]:
    return [
        ("Asset", task.durable_uri or ""),
        ("Size", f"{task.size:,} bytes"),
        ("SHA-256", task.sha256 or ""),
        ("Kind", task.kind or ""),
        ("Facts", facts(task.media)),
    ]


def _as_json(task: "PublicTask") -> dict[str, Any]:
    return {**task.model_dump(mode="json"), "sentence": sentence(task) or None}
