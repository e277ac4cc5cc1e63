"""The one clock that all services share: the database's, whatever this machine's own says."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic

from shared.db.database import Database
from shared.errors import Failure

ASK_SECONDS = 60.0
"""So long one answer is carried on by a steady clock, which no correction of this machine's time moves."""


class DatabaseClock:
    """Tells the database's time; safe in any thread."""

    def __init__(self, database: Database, steady: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._steady = steady
        self._heard: tuple[float, datetime] | None = None

    def now(self) -> datetime:
        """What time it is there, to the length of one question.

        A database that is away is carried on from its last answer; before the first this machine's time counts.
        """
        if self._heard is None or self._steady() - self._heard[0] >= ASK_SECONDS:
            self._heard = self._ask() or self._heard
        if self._heard is None:
            return datetime.now(UTC)
        since, instant = self._heard
        return instant + timedelta(seconds=self._steady() - since)

    def _ask(self) -> tuple[float, datetime] | None:
        before = self._steady()
        try:
            row = self._database.glance("now")
        except Failure:
            return None
        return ((before + self._steady()) / 2, row["now"]) if row else None
