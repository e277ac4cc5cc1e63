"""How long a task waits after a fault of our own: longer each time, and only that task."""

from collections import Counter
from uuid import UUID

FIRST_SECONDS = 2.0
LONGEST_SECONDS = 300.0
MOST_TASKS = 10_000
"""Tasks whose faults are remembered at most; beyond that all begin anew."""


class Patience:
    """Counts faults in a row per task, in this process."""

    def __init__(self) -> None:
        self._faults: Counter[UUID] = Counter()

    def after_fault(self, task_id: UUID) -> float:
        """Seconds until the task may be tried again: 2, 4, 8 and so on, at most 300."""
        if len(self._faults) >= MOST_TASKS:
            self._faults.clear()
        self._faults[task_id] += 1
        return min(FIRST_SECONDS * 2.0 ** min(self._faults[task_id] - 1, 10), LONGEST_SECONDS)

    def forget(self, task_id: UUID) -> None:
        """The task went on: its next fault is the first again."""
        self._faults.pop(task_id, None)
