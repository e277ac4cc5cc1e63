"""How many questions each provider may be asked now: by its rate, its pauses, and the threads that it holds."""

from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic

from services.ingest.polling.rate import Rate


class Rooms:
    """The threads of one process, shared by providers; safe in any thread.

    A provider holds at most half of them, so that a slow one leaves room for another, and one alone while it does not
    answer.
    """

    def __init__(self, rates: Mapping[str, float], threads: int, clock: Callable[[], float] = monotonic) -> None:
        """`rates` has the most questions per second of each provider; `clock` is steady, in seconds."""
        self._rates = {provider: Rate(per_second) for provider, per_second in rates.items()}
        self._threads = threads
        self._clock = clock
        self._lock = Lock()
        self._busy: Counter[str] = Counter()
        self._slow: set[str] = set()

    def free(self, seconds: float) -> tuple[dict[str, int], int]:
        """How many questions each provider may be asked that begin in so many seconds, and how many all together."""
        with self._lock:
            now, left = self._clock(), self._threads - self._busy.total()
            rooms = {name: min(rate.free(now, seconds), self._places(name), left) for name, rate in self._rates.items()}
            return {name: most for name, most in rooms.items() if most > 0}, left

    def enter(self, provider: str) -> float:
        """Take a place for a question; returns in how many seconds it may begin."""
        with self._lock:
            self._busy[provider] += 1
            now = self._clock()
            return self._rates[provider].take(now) - now

    def leave(self, provider: str, *, is_slow: bool) -> None:
        """Give the place back; `is_slow` says that the provider held it long and answered nothing."""
        with self._lock:
            self._busy[provider] -= 1
            (self._slow.add if is_slow else self._slow.discard)(provider)

    def pause(self, provider: str, seconds: float) -> None:
        """Leave a provider alone."""
        with self._lock:
            self._rates[provider].pause(self._clock() + seconds)

    def _places(self, provider: str) -> int:
        return (1 if provider in self._slow else self._threads // 2) - self._busy[provider]
