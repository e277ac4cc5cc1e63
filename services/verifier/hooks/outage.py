"""Whether a service that has no question for its health is away: told by how the latest real questions ended."""

from collections.abc import Callable
from math import inf
from threading import Lock
from time import monotonic
from uuid import UUID

AGAIN_SECONDS = 5.0
"""Until the next real question is the probe of a service that was away."""


class Outage:
    """Remembers failures since the last good answer; thread-safe.

    Two tasks that fail in a row mean that the service is away; one alone may have a file that it cannot take.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._failing: set[UUID] = set()
        self._until = -inf

    def failed(self, task_id: UUID, *, surely: bool) -> None:
        """A question about this task failed; `surely` if in a way that tells of the whole service."""
        with self._lock:
            if len(self._failing) < 2:
                self._failing.add(task_id)
            if surely or len(self._failing) > 1:
                self._until = self._clock() + AGAIN_SECONDS

    def ended(self) -> None:
        """A question was answered well."""
        with self._lock:
            self._failing.clear()
            self._until = -inf

    @property
    def lasts(self) -> bool:
        """Whether the service is away, and was asked a moment ago."""
        return self._clock() < self._until
