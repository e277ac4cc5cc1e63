"""The memory of one upload: a buffer for the part that fills, and one for each part on its way."""

from mmap import MADV_DONTNEED, MAP_ANONYMOUS, MAP_POPULATE, MAP_PRIVATE, mmap
from typing import cast

from shared.objects.budget import PartBudget

MOST = 3
"""Most buffers of one upload: while the store puts some parts to disk, it reads the next."""


class Buffers:
    """Buffers of `size` bytes, counted by the budget: one always, up to `MOST` while there is room.

    For one thread at a time.
    """

    def __init__(self, budget: PartBudget, size: int) -> None:
        """Takes nothing yet."""
        self.budget, self.size = budget, size
        self._held: list[mmap] = []
        self._idle: list[memoryview] = []

    def first(self) -> memoryview:
        """The first buffer, which takes memory only as it fills."""
        buffer = self._map(0)
        self.budget.take_first()
        return buffer

    def take(self) -> memoryview | None:
        """A further buffer or one that was put back; None while the budget allows neither."""
        while len(self._held) > 1 and self._idle and self.budget.take_back():
            self._free(cast(mmap, self._idle.pop().obj))
        while len(self._held) < MOST and self.budget.take_further():
            # All memory at once: what is needed shows at the beginning of a large upload, not in its middle.
            self._idle.append(self._further())
        return self._idle.pop() if self._idle else None

    def put(self, buffer: memoryview) -> None:
        """Take a buffer back whose part was sent."""
        self._idle.append(buffer)

    def close(self) -> None:
        """Give all memory back, when nobody reads or writes it any more; may be called again."""
        if self._held:
            self.budget.end(len(self._held))
        self._idle.clear()
        for memory in [*self._held]:
            self._free(memory)

    def _further(self) -> memoryview:
        try:
            return self._map(MAP_POPULATE)
        except OSError:
            self.budget.give_back()
            raise

    def _map(self, flags: int) -> memoryview:
        memory = mmap(-1, self.size, flags=MAP_PRIVATE | MAP_ANONYMOUS | flags)
        self._held.append(memory)
        return memoryview(memory)

    def _free(self, memory: mmap) -> None:
        # A failure that somebody holds may still refer to the memory by its traceback.
        memory.madvise(MADV_DONTNEED)
        self._held.remove(memory)
