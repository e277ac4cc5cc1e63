"""Following tasks to their end by looking at what a reader may see of them."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING
from uuid import UUID

from shared.errors import Failure
from shared.reasons import Reason
from shared.states import State

if TYPE_CHECKING:  # the reader of the database needs more packages than a producer has
    from shared.db.views import PublicTask

Read = Callable[[UUID], "PublicTask | None"]
LOOK_SECONDS = 0.25
STALE_SECONDS = 10.0
SETTLED = frozenset({State.COMPLETE, State.NEEDS_ATTENTION, State.ABANDONED})


class Unsettled(Exception):  # noqa: N818 (an outcome: the tasks go on, only the waiting ended)
    """Nobody waits any longer; `waiting` are the tasks that had not come to an end."""

    def __init__(self, waiting: frozenset[UUID]) -> None:
        super().__init__(f"{len(waiting)} tasks are still on their way")
        self.waiting = waiting


def follow(
    read: Read,
    tasks: Iterable[UUID],
    *,
    give_up: Callable[[], bool],
    before: Mapping[UUID, "PublicTask"] | None = None,
    pause: float = LOOK_SECONDS,
    patience: float = STALE_SECONDS,
) -> Iterator["PublicTask"]:
    """Yield each task whenever it looks different, until every one is settled.

    `read` is asked every `pause` seconds; a database that is away is asked again. `before` holds tasks as
    they were before an event was sent: one that had stopped counts as settled again only when it changed,
    or after `patience` seconds. Raises Unsettled as soon as `give_up` says so.
    """
    patient_until = time.monotonic() + patience
    stopped = {} if before is None else {k: task for k, task in before.items() if task.state != State.COMPLETE}
    waiting, seen = set(tasks), dict(stopped)
    while True:
        for task_id in sorted(waiting):
            task = _look(read, task_id)
            if task is not None and task != seen.get(task_id):
                seen[task_id] = task
                yield task
        if time.monotonic() >= patient_until:
            stopped = {}
        waiting = {i for i in waiting if i not in seen or not _settled(seen[i], stopped.get(i))}
        if not waiting:
            return
        if give_up():
            raise Unsettled(frozenset(waiting))
        time.sleep(pause)


def sentence(task: "PublicTask") -> str:
    """Why a task stopped, for a person; empty for a task without a reason."""
    if task.reason is None:
        return ""
    reason = Reason(task.reason)
    return reason.ending if task.state == State.NEEDS_ATTENTION else reason.rule.sentence


def _look(read: Read, task_id: UUID) -> "PublicTask | None":
    try:
        return read(task_id)
    except Failure:
        return None


def _settled(task: "PublicTask", stopped: "PublicTask | None") -> bool:
    return task.state in SETTLED and task != stopped
