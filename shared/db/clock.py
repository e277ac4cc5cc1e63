"""The one clock that all services share: the database's, whatever this machine's own says."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import inf
from threading import Lock
from time import monotonic

from shared.db.database import Database
from shared.errors import Failure

ASK_SECONDS = 60.0
"""So long one answer is carried on by a steady clock, which no correction of this machine's time moves."""
AWAY_SECONDS = 5.0
"""Least time between two questions while the database is away."""


class DatabaseClock:
    """Tells the database's time; safe in any thread."""

    def __init__(self, database: Database, steady: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._steady = steady
        self._heard: tuple[float, datetime] | None = None
        self._ask_at = -inf
        self._asking = Lock()

    def now(self) -> datetime:
        """What time it is there, to the length of one question.

        A database that is away is carried on from its last answer; before the first this machine's time counts.
        """
        # One thread asks, and no other waits for it once there is an answer to carry on.
        if self._steady() >= self._ask_at and self._asking.acquire(blocking=self._heard is None):
            try:
                self._ask()
            finally:
                self._asking.release()
        if self._heard is None:
            return datetime.now(UTC)
        since, instant = self._heard
        return instant + timedelta(seconds=self._steady() - since)

    def _ask(self) -> None:
        """Ask, unless somebody else just did."""
        if self._steady() < self._ask_at:
            return
        heard = self._answer()
        self._heard = heard or self._heard
        self._ask_at = self._steady() + (ASK_SECONDS if heard else AWAY_SECONDS)

    def _answer(self) -> tuple[float, datetime] | None:
        before = self._steady()
        try:
            row = self._database.glance("now")
        except Failure:
            return None
        return ((before + self._steady()) / 2, row["now"]) if row else None
