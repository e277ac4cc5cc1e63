"""What the slots of one process share: room in the lanes, and a suspect that must work alone."""

import time
from threading import Event, Thread

from shared.lanes import Budget
from shared.leases import Lease, Leases
from shared.states import Stage
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import claims
from tests.integration.db.test_leases import until


def leases_of(as_role: As, per_lane: int = 4) -> Leases:
    return Leases(claims(as_role("downloader"), Stage.DOWNLOAD), lambda: None, Budget(4, per_lane))


def never() -> bool:
    return False


def take(leases: Leases) -> Lease | None:
    return leases.take(urgent_only=False, given_up=never)


def test_a_lane_holds_no_more_leases_than_it_may(as_role: As, accept: Accept) -> None:
    for _ in range(3):
        accept(life=60.0, lane="busy")
    free = accept(life=3600.0, lane="free")
    leases = leases_of(as_role, per_lane=1)
    first, second = take(leases), take(leases)
    assert first is not None
    assert second is not None
    assert (first.claim.lane, second.claim.task_id) == ("busy", free)
    assert take(leases) is None
    with leases.at_work(first, never):
        pass
    third = take(leases)
    assert third is not None
    assert third.claim.lane == "busy"


def struck(as_role: As, accept: Accept) -> None:
    """A task whose last worker ended unreported, more urgent than any other."""
    accept(life=30.0)
    short = claims(as_role("downloader"), Stage.DOWNLOAD, lease_seconds=0.1)
    assert short.take() is not None
    until(lambda: short.wake() == 1)


def test_a_task_that_ended_its_worker_waits_for_the_others_and_nobody_joins_it(as_role: As, accept: Accept) -> None:
    accept(life=20.0)
    leases = leases_of(as_role)
    innocent = take(leases)
    assert innocent is not None
    struck(as_role, accept)
    suspect = take(leases)
    assert suspect is not None
    assert suspect.claim.strikes == 1
    accept(life=3600.0)
    alone, done, joined = Event(), Event(), Event()

    def work_alone() -> None:
        with leases.at_work(suspect, never):
            alone.set()
            done.wait(10)

    def join() -> None:
        if take(leases) is not None:
            joined.set()

    threads = [Thread(target=work_alone, daemon=True), Thread(target=join, daemon=True)]
    for thread in threads:
        thread.start()
    assert not alone.wait(0.3), "it waits while another lease is held"
    with leases.at_work(innocent, never):
        pass
    assert alone.wait(5), "it works once it is alone"
    assert not joined.wait(0.3), "no slot claims beside it"
    done.set()
    assert joined.wait(5), "afterwards the others go on"


def test_a_lease_that_is_no_longer_renewed_is_marked_lost(as_role: As, accept: Accept) -> None:
    accept()
    own = claims(as_role("downloader"), Stage.DOWNLOAD, lease_seconds=0.1)
    leases = Leases(own, lambda: None, Budget(4, 4))
    lease = take(leases)
    assert lease is not None
    end = time.monotonic() + 5
    while own.wake() == 0:
        assert time.monotonic() < end
    leases.renew()
    assert lease.lost.is_set()
