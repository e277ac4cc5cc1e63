"""Waiting for one task in a terminal: what a person sees meanwhile, and why the wait ended."""

import time
from typing import TYPE_CHECKING
from uuid import UUID

from rich.console import Console
from rich.status import Status

from outlast.following import Read, Unsettled, follow, sentence
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

UNSEEN_SECONDS = 5.0
"""Time after which a task that nobody has seen deserves a word."""
UNREAD = "Nobody seems to read the intake: is ingest running? The event waits in RabbitMQ."
AWAY = "The database does not answer, so nothing is known of the task."


class Waiting:
    """Follows tasks for `seconds` at most, and tells `console` each step."""

    def __init__(self, read: Read, console: Console, seconds: float) -> None:
        self._read = read
        self._console = console
        self._seconds = seconds
        self._began = time.monotonic()
        self._task: PublicTask | None = None
        self._is_away = False
        self._told = ""

    def follow(self, task_id: UUID, before: "PublicTask | None") -> "PublicTask | None":
        """The task as it was last seen, None if never; `before` is how it stood before the event."""
        known = {} if before is None else {task_id: before}
        self._task = before
        with self._console.status("published") as status:
            looks = follow(self._look, [task_id], give_up=lambda: self._is_over(status), before=known)
            try:
                for task in looks:
                    self._task = task
                    self._tell(status, progress(task))
            except Unsettled:
                self._console.print(self._why_over(), highlight=False, soft_wrap=True)
        return self._task

    def _look(self, task_id: UUID) -> "PublicTask | None":
        self._is_away = True
        task = self._read(task_id)
        self._is_away = False
        return task

    def _is_over(self, status: Status) -> bool:
        waited = time.monotonic() - self._began
        if self._task is None and waited >= UNSEEN_SECONDS:
            self._tell(status, self._why_unseen())
        return waited >= self._seconds

    def _why_unseen(self) -> str:
        return AWAY if self._is_away else UNREAD

    def _why_over(self) -> str:
        rest = self._why_unseen() if self._task is None else "The task goes on by itself."
        return f"Nothing more was waited for after {self._seconds:g} s. {rest}"

    def _tell(self, status: Status, text: str) -> None:
        if text == self._told:
            return
        self._told = text
        if self._console.is_terminal:
            status.update(text)
        else:
            self._console.print(text, highlight=False, soft_wrap=True)


def progress(task: "PublicTask") -> str:
    """How a task stands on its way: its state, and before another try why and when."""
    if task.state != State.DOWNLOAD_RETRY:
        return task.state
    due = f"at {task.next_try_at.astimezone():%H:%M:%S}" if task.next_try_at else "now"
    why = f"{sentence(task)} ({task.reason}) " if task.reason else ""
    return f"{task.state}: {why}Another try is due {due}."
