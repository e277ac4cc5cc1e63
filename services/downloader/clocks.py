"""What time it is where a link ends: at its source if that was heard lately, else at the database."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import monotonic

MOST_HOSTS = 1000
HEARD_SECONDS = 3600.0
"""So long the clock of a source is believed to run on as it was heard."""
MOST_OFF = timedelta(days=1)
"""A `Date` that is further off is no clock, but a copy or a slip."""


class Clocks:
    """The clocks of the sources that this process heard lately, in bounded memory; safe in any thread.

    Each is carried on by a steady clock, so that this machine's own time, right or wrong or corrected meanwhile,
    decides nothing.
    """

    def __init__(
        self,
        ours: Callable[[], datetime],
        steady: Callable[[], float] = monotonic,
        machine: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`ours` is the time where no source told: the database's."""
        self._ours, self._steady, self._machine = ours, steady, machine
        self._lock = Lock()
        self._heard: OrderedDict[str, tuple[float, datetime]] = OrderedDict()

    def now(self) -> datetime:
        """The time by our own clock, which all services share."""
        return self._ours()

    def of(self, host: str) -> "SourceClock":
        """The clock of a host."""
        return SourceClock(self, host)

    def hear(self, host: str, ahead: float) -> None:
        """A host answered at this moment, with a `Date` so many seconds ahead of this machine's clock."""
        ours = self._ours()
        off = timedelta(seconds=ahead) + (self._machine() - ours)
        if abs(off) > MOST_OFF:
            return
        told = ours + off
        with self._lock:
            self._heard[host] = self._steady(), told
            self._heard.move_to_end(host)
            while len(self._heard) > MOST_HOSTS:
                self._heard.popitem(last=False)

    def at(self, host: str) -> datetime:
        """The time at a host, ours if it was not heard lately."""
        with self._lock:
            since, told = self._heard.get(host, (-HEARD_SECONDS, None))
        passed = self._steady() - since
        return self._ours() if told is None or passed > HEARD_SECONDS else told + timedelta(seconds=passed)


@dataclass(frozen=True)
class SourceClock:
    """One host's clock."""

    _clocks: Clocks
    _host: str

    def now(self) -> datetime:
        """The time there."""
        return self._clocks.at(self._host)

    def earliest(self) -> datetime:
        """The time there or by our own clock, whichever is earlier.

        By it a link has ended only if it has by both: no single wrong `Date` ends links that nobody asked for.
        """
        return min(self.now(), self._clocks.now())

    def hear(self, ahead: float | None) -> None:
        """The host answered; None where it told no time."""
        if ahead is not None:
            self._clocks.hear(self._host, ahead)

    def seconds_since(self, instant: datetime) -> float:
        """How long ago something happened that somebody dated by the source's clock or by ours: the shorter time."""
        return min(abs((now - instant).total_seconds()) for now in (self.now(), self._clocks.now()))
