"""The rate at which a provider is asked."""

from math import floor


class Rate:
    """Starts of questions, one after the other with a least time between them; times are of one steady clock."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second
        self._next = 0.0

    def free(self, now: float, seconds: float) -> int:
        """How many questions may begin within so many seconds from now."""
        left = now + seconds - max(self._next, now)
        return floor(left / self._gap) + 1 if left >= 0 else 0

    def take(self, now: float) -> float:
        """Take the next start: the time at which that question begins."""
        start = max(self._next, now)
        self._next = start + self._gap
        return start

    def pause(self, until: float) -> None:
        """Begin no further question before this time."""
        self._next = max(self._next, until)
