"""What a person or a program is told while many events are published: the bad lines, the rate, and the end."""

import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import BinaryIO
from uuid import UUID

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from shared.messages import IntakeEvent, Rejected


class Report:
    """Counts lines; tells results on standard output as JSON if wished, and everything else on standard error.

    Safe to use from many threads.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.good = self.bad = self.sent = 0
        self._as_json = as_json
        self._lock = Lock()
        self._began = time.monotonic()
        console = Console(stderr=True)
        # Where results go to the same terminal, a bar between them would be noise.
        quiet = not console.is_terminal or (as_json and sys.stdout.isatty())
        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            disable=quiet,
            # Results belong on standard output, whatever it is.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._bar = self._progress.add_task("")

    @contextmanager
    def shown(self, stream: BinaryIO) -> Iterator[None]:
        """Show the progress through a stream while the block lasts."""
        self._progress.update(self._bar, total=_size(stream))
        with self._progress:
            yield

    def read(self, line: bytes) -> None:
        """A line was read."""
        self._progress.update(self._bar, advance=len(line) + 1, description=self._counts())

    def refuse(self, number: int, rejected: Rejected) -> None:
        """A line is no event."""
        self.bad += 1
        if self._as_json:
            self._tell({"line": number, "reason": str(rejected.reason), "error": rejected.detail})
        else:
            self._progress.console.print(
                f"line {number}: {rejected.detail} ({rejected.reason})", markup=False, highlight=False, soft_wrap=True
            )

    def confirm(self, number: int, event: IntakeEvent, task_id: UUID) -> None:
        """An event is safe in RabbitMQ."""
        with self._lock:
            self.sent += 1
        self._progress.update(self._bar, description=self._counts())
        if self._as_json:
            self._tell({"line": number, "event_id": event.id, "task_id": str(task_id)})

    def close(self, words: str) -> None:
        """The closing line."""
        if self._as_json:
            counts = {"sent": self.sent, "good": self.good, "bad": self.bad}
            self._tell({"end": words, **counts, "seconds": round(self._seconds(), 3)})
        else:
            typer.echo(words, err=True)

    def counts(self) -> str:
        """What was sent at which rate, and how many lines were bad, in words."""
        return f"{self._counts()}, {self._seconds():.1f} s"

    def _counts(self) -> str:
        rate = f" ({self.sent / self._seconds():,.0f}/s)" if self.sent else ""
        bad = f", {self.bad:,} bad" if self.bad else ""
        return f"{self.sent:,} sent{rate}{bad}"

    def _seconds(self) -> float:
        return max(time.monotonic() - self._began, 0.001)

    def _tell(self, value: dict[str, object]) -> None:
        # Whoever reads may go away; the events are sent all the same.
        with self._lock, suppress(BrokenPipeError):
            typer.echo(json.dumps(value, ensure_ascii=False))


def _size(stream: BinaryIO) -> int | None:
    """Bytes of a stream that is a file; None for a pipe."""
    try:
        told = os.fstat(stream.fileno())
    except OSError:
        return None
    return told.st_size if stat.S_ISREG(told.st_mode) else None
