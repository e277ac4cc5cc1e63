"""The leases that a process holds: who works on what, who must work alone, and their renewal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Event

import structlog

from shared.breakers import Breakers
from shared.errors import Failure, LeaseLost
from shared.lanes import ANYWHERE, Barred, Budget, Held
from shared.tasks.claims import Claim, Claims
from shared.telemetry import metrics

log = structlog.get_logger(__name__)


@dataclass(frozen=True, eq=False)
class Lease:
    """A held lease, as its handler sees it.

    `seconds_to_stop` gives None while the process runs on, and after SIGTERM the seconds left for this act.
    """

    claim: Claim
    seconds_to_stop: Callable[[], float | None]
    on_sight: Callable[[bool], None]
    lost: Event = field(default_factory=Event)

    def check(self) -> None:
        """Raises LeaseLost once the token is known to be gone; call it before any side effect."""
        if self.lost.is_set():
            raise LeaseLost(str(self.claim.task_id))

    def saw(self, *, away: bool) -> None:
        """Tell what a request to the task's source found: that the source was away, or an answer of any kind."""
        self.on_sight(away)


class Leases:
    """The leases of one worker, shared by its slots.

    One slot claims at a time, so that the budget holds. A task with a strike (its last worker
    ended unreported) works while no other lease is held, so that it takes no innocent task with it.
    """

    def __init__(
        self,
        claims: Claims,
        seconds_to_stop: Callable[[], float | None],
        budget: Budget,
        breakers: Breakers | None = None,
    ) -> None:
        self._claims = claims
        self._seconds_to_stop = seconds_to_stop
        self._budget = budget
        self._breakers = breakers or Breakers()
        self._served: dict[str, str] = {}
        self._changed = Condition()
        self._claiming = False
        self._struck: Claim | None = None
        self._held: dict[Claim, Lease] = {}

    def take(self, *, urgent_only: bool, given_up: Callable[[], bool]) -> Lease | None:
        """Claim the most urgent task for which there is room; None if there is none, or when `given_up`.

        Waits for the claim of another slot, and while a struck task works alone. Raises Failure while the
        database is away.
        """
        with self._changed:
            self._changed.wait_for(lambda: not (self._claiming or self._struck) or given_up())
            if given_up():
                return None
            barred = self._barred(urgent_only)
            self._claiming = True
        try:
            return self._hold(self._claims.take(barred, urgent_only=urgent_only))
        finally:
            with self._changed:
                self._claiming = False
                self._changed.notify_all()

    def _barred(self, urgent_only: bool) -> Barred:
        held = [Held(claim.lane, claim.account) for claim in self._held]
        # What ends soon is tried even where its source seems away: waiting could lose it.
        closed = [] if urgent_only else self._breakers.closed()
        return self._budget.barred(held, self._served, closed, self._breakers.broken())

    def _hold(self, claim: Claim | None) -> Lease | None:
        if claim is None:
            return None
        lease = Lease(claim, self._seconds_to_stop, lambda away: self._saw(claim, away))
        with self._changed:
            self._held[claim] = lease
            self._served |= {ANYWHERE: claim.account, claim.lane: claim.account}
            self._breakers.took(claim.lane, claim)
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
                self._breakers.ended(lease.claim.lane, lease.claim)
                if lease.claim is self._struck:
                    self._struck = None
                self._changed.notify_all()

    def _saw(self, claim: Claim, away: bool) -> None:
        with self._changed:
            before = self._breakers.broken()
            self._breakers.saw(claim.lane, claim, away=away)
            after = self._breakers.broken()
        if len(after) != len(before):
            log.info("lane_closed" if away else "lane_opened", lane=claim.lane)
            metrics.LANES_CLOSED.set(len(after))

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
