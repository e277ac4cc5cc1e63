"""Whether a transfer is worth finishing once its process is asked to end."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from services.downloader.evidence import Sighting

COMPLETING_SECONDS = 1.0
"""Kept for what follows the last byte: the end of the upload and the record."""
WINDOW_SECONDS = 10.0
"""The rate is measured over so much of the latest past, waits for the store included."""
_STEP_SECONDS = 0.5


@dataclass(frozen=True)
class Parting:
    """Measures one transfer as it goes, resumes included, and says when it must be given back.

    `seconds_to_stop` gives None while the process runs on, else the seconds that are left for this transfer.
    """

    seen: Sighting
    seconds_to_stop: Callable[[], float | None]
    clock: Callable[[], float] = monotonic
    _marks: deque[tuple[float, int]] = field(default_factory=deque)

    def is_due(self) -> bool:
        """Whether to give the transfer back now; it is measured by this, so ask before every block and while waiting.

        One of unknown length is given back at once, and so is one that has become too slow.
        """
        self._measure()
        left = self.seconds_to_stop()
        return left is not None and not self._ends_within(left - COMPLETING_SECONDS)

    def _measure(self) -> None:
        """Mark where the body stands, every half second from its beginning."""
        now = self.clock()
        if self.seen.answer is None or (self._marks and now - self._marks[-1][0] < _STEP_SECONDS):
            return
        self._marks.append((now, self.seen.wire_bytes))
        while len(self._marks) > 1 and now - self._marks[1][0] >= WINDOW_SECONDS:
            self._marks.popleft()

    def _ends_within(self, seconds: float) -> bool:
        total = self.seen.answer.content_length if self.seen.answer else None
        if total is None or seconds < 0:
            return False
        since, before = self._marks[0]
        passed, received, rest = self.clock() - since, self.seen.wire_bytes - before, total - self.seen.wire_bytes
        return rest <= 0 or (received > 0 and rest * passed <= received * seconds)
