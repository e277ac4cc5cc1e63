"""How one task stands, printed for a person or as JSON."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.console import Console

from outlast.cli.printable import printable
from outlast.following import sentence
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

SENTENCE_LETTERS = 70
MOST_EVIDENCE = 24
"""Facts of the last failed claim that are printed, and ..."""
MOST_LETTERS = 300
"""... characters of each."""


def print_outcome(console: Console, task_id: UUID, task: "PublicTask | None", *, as_json: bool) -> None:
    """Print the asset of a complete task, else state and reason; `task` is None while it is unknown."""
    if as_json:
        shown = {"task_id": str(task_id), "state": None} if task is None else as_json_of(task)
        console.print(json.dumps(shown, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)
        return
    for name, value in _lines(task_id, task):
        # Never broken into lines: an address must be good to copy.
        console.print(f"{name:<9} {printable(value)}".rstrip(), markup=False, highlight=False, soft_wrap=True)


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
    if task is None:
        return [("Task", str(task_id)), ("State", "not seen yet")]
    return [
        ("Task", str(task_id)),
        ("State", task.state),
        ("Account", task.account),
        ("Provider", task.provider),
        ("Job", task.job_id),
        ("Output", task.output_id),
        *([("Flags", " ".join(task.flags))] if task.flags else []),
        *_times(task),
        ("Tries", f"{task.tries} failed, {task.refreshes} links refreshed"),
        *(_asset(task) if task.state == State.COMPLETE else _trouble(task)),
    ]


def _times(task: "PublicTask") -> Iterator[tuple[str, str]]:
    yield "Ready", _instant(task.ready_at)
    yield "Expires", _instant(task.url_expires_at) if task.url_expires_at else "not known"
    if task.at_risk:
        yield "At risk", "no byte is here, and the time of its link is nearly over; it goes on being tried"
    if task.stored_at:
        yield (
            "Stored",
            f"{_instant(task.stored_at)}, {(task.stored_at - task.ready_at).total_seconds():.1f} s after ready",
        )
    if task.next_try_at:
        yield "Next try", _instant(task.next_try_at)


def _instant(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _asset(task: "PublicTask") -> list[tuple[str, str]]:
    return [
        ("Asset", task.durable_uri or ""),
        ("Size", f"{task.size:,} bytes"),
        ("SHA-256", task.sha256 or ""),
        ("Kind", task.kind or ""),
        ("Facts", facts(task.media)),
    ]


def _trouble(task: "PublicTask") -> Iterator[tuple[str, str]]:
    if task.reason:
        yield "Reason", task.reason
        yield from (("", line) for line in textwrap.wrap(sentence(task), SENTENCE_LETTERS))
    for number, line in enumerate(_evidence(task.evidence or {})):
        yield "Evidence" if number == 0 else "", line


def _evidence(evidence: Mapping[str, Any]) -> Iterator[str]:
    """What the last failed claim saw, a fact to a line."""
    for name, value in list(evidence.items())[:MOST_EVIDENCE]:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name}: {text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + '…'}"
    if len(evidence) > MOST_EVIDENCE:
        yield f"and {len(evidence) - MOST_EVIDENCE} more; --json shows all"


def as_json_of(task: "PublicTask") -> dict[str, Any]:
    """Every field of a task, and the sentence of its reason."""
    return {**task.model_dump(mode="json"), "sentence": sentence(task) or None}
