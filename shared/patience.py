"""How long a task waits after a fault of our own: longer each time, and only that task."""

from collections.abc import Callable
from time import monotonic
from uuid import UUID

FIRST_SECONDS = 2.0
LONGEST_SECONDS = 300.0
MOST_TASKS = 10_000
"""Tasks whose faults are remembered at most; beyond that all begin anew."""


OWN_SECONDS = 900.0
"""A fault that one task has had for so long, while our parts are well, is that task's."""


class Patience:
    """Remembers the faults in a row of each task, in this process."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._faults: dict[UUID, tuple[int, float]] = {}

    def after_fault(self, task_id: UUID) -> float:
        """Seconds until the task may be tried again: 2, 4, 8 and so on, at most 300."""
        if len(self._faults) >= MOST_TASKS:
            self._faults.clear()
        before, since = self._faults.get(task_id, (0, self._clock()))
        self._faults[task_id] = before + 1, since
        return min(FIRST_SECONDS * 2.0 ** min(before, 10), LONGEST_SECONDS)

    def is_its_own(self, task_id: UUID) -> bool:
        """Whether the task has had nothing but faults for a quarter of an hour."""
        since = self._faults.get(task_id, (0, self._clock()))[1]
        return self._clock() - since >= OWN_SECONDS

    def forget(self, task_id: UUID) -> None:
        """The task went on: its next fault is the first again."""
        self._faults.pop(task_id, None)
