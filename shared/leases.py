"""The leases that a process holds: who works on what, who must work alone, and their renewal."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Event

import structlog

from shared.errors import Failure, LeaseLost
from shared.tasks.claims import Claim, Claims

log = structlog.get_logger(__name__)


@dataclass(frozen=True, eq=False)
class Lease:
    """A held lease, as its handler sees it.

    `seconds_to_stop` gives None while the process runs on, and after SIGTERM the seconds left for this act.
    """

    claim: Claim
    seconds_to_stop: Callable[[], float | None]
    lost: Event = field(default_factory=Event)

    def check(self) -> None:
        """Raises LeaseLost once the token is known to be gone; call it before any side effect."""
        if self.lost.is_set():
            raise LeaseLost(str(self.claim.task_id))


class Leases:
    """The leases of one worker, shared by its slots.

    One slot claims at a time, so that the limits of the lanes hold. A task with a strike (its last worker
    ended unreported) works while no other lease is held, so that it takes no innocent task with it.
    """

    def __init__(self, claims: Claims, seconds_to_stop: Callable[[], float | None]) -> None:
        self._claims = claims
        self._seconds_to_stop = seconds_to_stop
        self._changed = Condition()
        self._claiming = False
        self._struck: Claim | None = None
        self._held: dict[Claim, Lease] = {}

    def take(self, most_per_lane: int, *, urgent_only: bool, given_up: Callable[[], bool]) -> Lease | None:
        """Claim the most urgent task whose lane has room; None if there is none, or when `given_up`.

        Waits for the claim of another slot, and while a struck task works alone. Raises Failure while the
        database is away.
        """
        with self._changed:
            self._changed.wait_for(lambda: not (self._claiming or self._struck) or given_up())
            if given_up():
                return None
            self._claiming = True
            lanes = Counter(claim.lane for claim in self._held)
        full = [lane for lane, count in lanes.items() if count >= most_per_lane]
        try:
            return self._hold(self._claims.take(full, urgent_only=urgent_only))
        finally:
            with self._changed:
                self._claiming = False
                self._changed.notify_all()

    def _hold(self, claim: Claim | None) -> Lease | None:
        if claim is None:
            return None
        lease = Lease(claim, self._seconds_to_stop)
        with self._changed:
            self._held[claim] = lease
            self._struck = claim if claim.strikes > 0 else None
        return lease

    @contextmanager
    def at_work(self, lease: Lease, given_up: Callable[[], bool]) -> Iterator[None]:
        """Work on a lease, alone if its task is struck; afterwards it is no longer held."""
        try:
            if lease.claim is self._struck:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._held) == 1 or given_up())
            yield
        finally:
            with self._changed:
                self._held.pop(lease.claim, None)
                if lease.claim is self._struck:
                    self._struck = None
                self._changed.notify_all()

    def renew(self) -> None:
        """Lengthen all leases by one statement and mark those whose token is gone; a database that is away waits."""
        leases = self.all()
        try:
            ours = self._claims.renew([lease.claim for lease in leases])
        except Failure:
            log.warning("renewal_waits_for_the_database", leases=len(leases))
            return
        for lease in leases:
            if lease.claim.lease_id not in ours:
                lease.lost.set()

    def all(self) -> list[Lease]:
        """The leases held now."""
        with self._changed:
            return list(self._held.values())

    def stir(self) -> None:
        """Let waiting slots look at `given_up` again."""
        with self._changed:
            self._changed.notify_all()
