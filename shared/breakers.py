"""A breaker per lane: a host that fails again and again is left alone for seconds, then tried by one task at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from shared.lanes import is_of_one_host

FAILURES = 5
"""Failures in a row that close a lane."""
LONGEST_SECONDS = 8.0


@dataclass
class _Trouble:
    """A lane whose last task found its host away."""

    failures: int = 0
    closings: int = 0
    closed_until: float = 0.0
    trial: object | None = None


class Breakers:
    """The breakers of one process. It is not safe for threads by itself.

    A lane closes for 1 s, then 2, 4 and at most 8, as long as each trial fails; the first answer opens it. A lane
    of many hosts never closes, as one of them would hold up the others.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self._clock = clock
        self._troubles: dict[str, _Trouble] = {}

    def closed(self) -> list[str]:
        """The lanes that let nobody through now: their time is not over, or somebody tries them."""
        now = self._clock()
        return [lane for lane, it in self._broken() if it.trial is not None or now < it.closed_until]

    def broken(self) -> list[str]:
        """The lanes that are not open: closed, or let one task through at a time."""
        return [lane for lane, _ in self._broken()]

    def took(self, lane: str, task: object) -> None:
        """A task of the lane was taken; where the lane's time is over, it is the trial."""
        it = self._troubles.get(lane)
        if it and it.closings and it.trial is None and self._clock() >= it.closed_until:
            it.trial = task

    def ended(self, lane: str, task: object) -> None:
        """The task ended, whatever it saw."""
        it = self._troubles.get(lane)
        if it and it.trial is task:
            it.trial = None

    def saw(self, lane: str, task: object, *, away: bool) -> None:
        """The task found the lane's host away, or got an answer."""
        if not away:
            self._troubles.pop(lane, None)
        elif is_of_one_host(lane):
            it = self._troubles.setdefault(lane, _Trouble())
            it.failures += 1
            # What began before the lane closed tells nothing new.
            if it.trial is task if it.closings else it.failures >= FAILURES:
                it.closed_until = self._clock() + min(2.0**it.closings, LONGEST_SECONDS)
                it.closings = min(it.closings + 1, 10)

    def _broken(self) -> list[tuple[str, _Trouble]]:
        return [(lane, it) for lane, it in self._troubles.items() if it.closings]
