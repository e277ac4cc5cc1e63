"""How idle slots sleep and are woken: wake-ups coalesce, and a hint is answered in bounded time."""

import time
from collections import deque
from collections.abc import Callable
from threading import Condition

HINT_SECONDS = 2.0
"""A hint is acked at the latest this long after it came, woken slot or not."""


class Wakeups:
    """The sleeping slots of one worker."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._sleeping = 0
        self._signals = 0
        self._missed = False
        self._closed = False
        self._late: deque[tuple[float, Callable[[], None]]] = deque()

    def sleep(self) -> None:
        """Sleep until woken or closed; not at all if a wake-up came while no slot slept."""
        with self._changed:
            if self._missed:
                self._missed = False
                return
            self._sleeping += 1
            self._changed.wait_for(lambda: self._signals > 0 or self._closed)
            self._signals = max(0, self._signals - 1)
            self._sleeping -= 1

    def wake(self) -> bool:
        """Wake one sleeping slot; False if none sleeps that is not already woken."""
        with self._changed:
            if self._signals >= self._sleeping:
                # A slot that just found nothing and is about to sleep would not see what this one tells.
                self._missed = True
                return False
            self._signals += 1
            self._changed.notify()
            return True

    def nudge(self, done: Callable[[], None]) -> None:
        """Wake a slot for a hint and call `done`; if none sleeps, `done` is called a moment later."""
        if self.wake():
            done()
        else:
            self._late.append((time.monotonic() + HINT_SECONDS, done))

    def answer_late_hints(self) -> None:
        """Call `done` of the hints that waited long enough; a running slot claims their task by itself."""
        while self._late and self._late[0][0] <= time.monotonic():
            self._late.popleft()[1]()

    def close(self) -> None:
        """Wake every slot for good."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
