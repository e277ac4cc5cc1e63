"""The most bytes per second that all transfers of a process take together."""

from collections.abc import Callable, Iterator
from threading import Lock
from time import monotonic, sleep

from shared.errors import Stopping

_SLICE_SECONDS = 0.25
"""How late the wish to stop may be seen."""
_SAVED_SECONDS = 0.1
"""So much unused time may be made up for, as the blocks of a source do not come evenly."""


class Bandwidth:
    """Lets blocks pass one after the other, each taking its time at the common rate; for any number of threads."""

    def __init__(self, bytes_per_second: int | None) -> None:
        """None means no limit."""
        self._bytes_per_second = bytes_per_second
        self._lock = Lock()
        self._free_at = monotonic()

    def through(self, blocks: Iterator[bytes], stopping: Callable[[], bool]) -> Iterator[bytes]:
        """The same blocks, no sooner than the rate allows; raises Stopping while it waits."""
        return blocks if self._bytes_per_second is None else self._held(blocks, self._bytes_per_second, stopping)

    def _held(self, blocks: Iterator[bytes], rate: int, stopping: Callable[[], bool]) -> Iterator[bytes]:
        for block in blocks:
            until = self._reserved(len(block) / rate)
            while (left := until - monotonic()) > 0:
                if stopping():
                    raise Stopping
                sleep(min(left, _SLICE_SECONDS))
            yield block

    def _reserved(self, seconds: float) -> float:
        """Take the next free time of that length, and tell when it is over."""
        with self._lock:
            self._free_at = max(self._free_at, monotonic() - _SAVED_SECONDS) + seconds
            return self._free_at


UNLIMITED = Bandwidth(None)
