"""The room for copies under examination: together they take no more of the disk than they may."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

WAIT_SECONDS = 1.0
"""Time after which one who waits asks whether the wait has still a purpose."""


class Room:
    """`size` bytes for the copies of all tasks of this process; safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size, self._used = size, 0
        self._line: list[object] = []
        self._changed = Condition()

    @contextmanager
    def taken(self, size: int, check: Callable[[], None]) -> Iterator[None]:
        """Wait, first come first served, until `size` bytes are free, and hold them for the block.

        A copy larger than the whole room gets it as soon as nobody else is in there, as it would never fit.
        `check` is called while waiting and raises what ends the wait.
        """
        self._enter(size, check)
        try:
            yield
        finally:
            self._leave(size)

    def _enter(self, size: int, check: Callable[[], None]) -> None:
        place = object()
        with self._changed:
            self._line.append(place)
            try:
                while not (self._line[0] is place and self._fits(size)):
                    self._changed.wait(WAIT_SECONDS)
                    check()
                self._used += size
            finally:
                self._line.remove(place)
                self._changed.notify_all()

    def _leave(self, size: int) -> None:
        with self._changed:
            self._used -= size
            self._changed.notify_all()

    def _fits(self, size: int) -> bool:
        return self._used == 0 or self._used + size <= self._size
