"""How many parts the uploads of one process may hold together, and fewer while the store asks for less."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

import structlog

from shared.objects.errors import SlowDown

log = structlog.get_logger(__name__)

BYTES_IN_FLIGHT = 64 * 2**20
"""Bytes of parts that a process holds at most, unless it is told otherwise."""

HALVING_SECONDS = 1.0
"""What is refused within this time of a halving was on its way already, and halves nothing."""

RECOVERY_SECONDS = 5.0
"""Time without a SlowDown after which one more further part is allowed."""


class PartBudget:
    """Counts parts: each upload always may hold its first, and further ones only while there is room.

    So nobody waits for another's parts. Uploads that begin while the budget is spent overdraw it, by their
    first parts, until the others give further ones back. Thread-safe.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most` is the number of parts that all uploads together may hold; `clock` gives seconds."""
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._uploads = 0
        self._further = 0
        self._granted, self._granted_at = most, clock()
        self._halved_at = -math.inf

    @property
    def held(self) -> int:
        """Parts that are held now."""
        with self._lock:
            return self._uploads + self._further

    def take_first(self) -> None:
        """Count the first part of an upload."""
        with self._lock:
            self._uploads += 1

    def take_further(self) -> bool:
        """Count a further part, if there is room for it."""
        with self._lock:
            free = self._uploads + self._further < self._most and self._further < self._allowance()
            if free:
                self._further += 1
            return free

    def take_back(self) -> bool:
        """Whether an upload must let go of a further part that it holds, which then counts no more."""
        with self._lock:
            overdrawn = self._uploads + self._further > self._most or self._further > self._allowance()
            if overdrawn:
                self._further -= 1
            return overdrawn

    def give_back(self) -> None:
        """Count a further part no more."""
        with self._lock:
            self._further -= 1

    def end(self, parts: int) -> None:
        """Count the parts of an upload no more, its first and its further ones."""
        with self._lock:
            self._uploads -= 1
            self._further -= parts - 1

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Halve the allowance for further parts, of those in use, when a SlowDown comes out of the block."""
        try:
            yield
        except SlowDown:
            self._slow_down()
            raise

    def _slow_down(self) -> None:
        with self._lock:
            now, allowance = self._clock(), self._allowance()
            if now - self._halved_at >= HALVING_SECONDS:
                allowance = min(allowance, self._further) // 2
                self._halved_at = now
            self._granted, self._granted_at = allowance, now
        log.info("store_asked_to_slow_down", further_parts=allowance)

    def _allowance(self) -> int:
        recovered = int((self._clock() - self._granted_at) / RECOVERY_SECONDS)
        return min(self._granted + recovered, self._most)
