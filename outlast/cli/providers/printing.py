"""What an answer says, printed for a person or as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import typer
from rich.console import Console

from outlast.cli.printable import printable, shortened
from outlast.cli.providers.seen import Seen, SeenOutput
from outlast.cli.spans import span

MARGIN = 10
MOST_LETTERS = 200
"""Of a name or a text of the provider."""
DIGITS = 12
"""Of a path's digest, which is whole in JSON."""


def print_seen(console: Console, seen: Seen, *, as_json: bool) -> None:
    """Print everything; the reader of JSON gets one object."""
    if as_json:
        typer.echo(json.dumps(asdict(seen), default=_plain, ensure_ascii=False))
        return
    now = datetime.now(UTC)
    for name, text in _lines(seen, now):
        # Never broken into lines: a task id must be good to copy.
        console.print(f"{name:<{MARGIN}} {printable(text)}".rstrip(), markup=False, highlight=False, soft_wrap=True)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _lines(seen: Seen, now: datetime) -> Iterator[tuple[str, str]]:
    yield "Read as", f"[{seen.read_as}] of {seen.provider}"
    yield "Says", f"{seen.said} (its word: {shortened(seen.word, MOST_LETTERS)})" if seen.word else seen.said
    names = {"Job": seen.job_id, "Model": seen.model, "Code": seen.code, "Message": seen.message}
    yield from ((name, shortened(text, MOST_LETTERS)) for name, text in names.items() if text)
    if seen.completed_at:
        yield "Completed", _instant(seen.completed_at)
    for output in seen.outputs:
        yield "Output", shortened(output.output_id, MOST_LETTERS)
        yield from ((f"  {name}", text) for name, text in _of_output(output, now))
    yield from (("Note", note) for note in seen.notes)
    yield "Next", seen.next


def _of_output(output: SeenOutput, now: datetime) -> Iterator[tuple[str, str]]:
    if output.task_id:
        yield "task", str(output.task_id)
    if output.kind:
        yield "kind", f"{output.kind}, which is then checked"
    if output.host:
        listed = {None: "any host will do", True: "listed", False: "not listed"}[output.is_listed]
        key = ", gets the key" if output.needs_key else ""
        yield "link", f"{output.host} ({listed}), path {(output.path_sha256 or '')[:DIGITS]}…{key}"
    elif output.way:
        yield "bytes", output.way
    if output.fault:
        yield "fault", output.fault
        return
    yield "ends", _end(output, now)


def _end(output: SeenOutput, now: datetime) -> str:
    if output.expires_at is None:
        end = "not known"
    else:
        left = (output.expires_at - now).total_seconds()
        ago = f"in {span(left)}" if left > 0 else f"{span(-left)} ago"
        end = f"{_instant(output.expires_at)}, {ago}, by {output.expires_from} ({output.confidence})"
    if output.deadline and output.deadline != output.expires_at:
        end += f"; the last way to it {_instant(output.deadline)}"
    return end


def _instant(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
