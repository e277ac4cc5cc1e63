"""The leases that a process of the tests holds."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from shared.breakers import Breakers
from shared.lanes import Budget
from shared.leases import Lease, Leases
from shared.states import Stage
from tests.integration.db.conftest import As
from tests.integration.db.moves import claims


def leases_of(as_role: As, budget: Budget, stage: Stage = Stage.DOWNLOAD, breakers: Breakers | None = None) -> Leases:
    role = {Stage.DOWNLOAD: "downloader", Stage.VERIFY: "verifier", Stage.PROMOTE: "promoter"}[stage]
    return Leases(claims(as_role(role), stage), lambda: None, budget, breakers)


def never() -> bool:
    return False


def taking(leases: Leases, *, urgent_only: bool = False) -> Iterator[Lease]:
    """Leases as long as there are any."""
    while lease := leases.take(urgent_only=urgent_only, given_up=never):
        yield lease


def take(leases: Leases, number: int) -> list[Lease]:
    return list(islice(taking(leases), number))


def end(leases: Leases, lease: Lease) -> None:
    with leases.at_work(lease, never):
        pass


def accounts(leases: Leases) -> Counter[str]:
    return Counter(lease.claim.account for lease in leases.all())
