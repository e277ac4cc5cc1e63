"""Accounts that would take everything, and what is left to the others."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest

from shared.lanes import Barred, Budget
from shared.states import Stage
from tests.integration.db.conftest import Accept, As, Flood
from tests.integration.db.holding import accounts, end, leases_of, take, taking
from tests.integration.db.moves import claims, prove, stage_bytes, taken
from tests.integration.db.test_leases import until


def test_case_113_a_flood_in_a_lane_leaves_half_of_it_to_another_account(
    as_role: As, accept: Accept, flood: Flood
) -> None:
    flood("x")
    for _ in range(20):
        accept(life=3600.0, lane="x", account="other")
    leases = leases_of(as_role, Budget(4, 4))
    first, *_ = take(leases, 4)
    assert first.claim.account == "flood"
    for _ in range(18):
        assert accounts(leases) == {"flood": 2, "other": 2}
        end(leases, leases.all()[0])
        take(leases, 1)
    while "other" in accounts(leases):
        end(leases, next(lease for lease in leases.all() if lease.claim.account == "other"))
        take(leases, 1)
    assert accounts(leases) == {"flood": 4}


def test_case_113_a_flood_in_several_lanes_leaves_half_of_the_process_to_another_lane(
    as_role: As, accept: Accept, flood: Flood
) -> None:
    flood("x", "y", "z")
    for _ in range(4):
        accept(life=3600.0, lane="w", account="other")
    leases = leases_of(as_role, Budget(4, 2))
    take(leases, 4)
    assert accounts(leases) == {"flood": 2, "other": 2}


def test_case_113_a_flood_gets_all_while_nobody_else_waits(as_role: As, accept: Accept, flood: Flood) -> None:
    flood("x", "y")
    accept(life=3600.0, lane="x", account="other")
    leases = leases_of(as_role, Budget(6, 3))
    take(leases, 6)
    assert accounts(leases) == {"flood": 5, "other": 1}


@pytest.mark.parametrize("budget", [Budget(1, 1), Budget(4, 1)])
def test_case_113_where_nothing_can_be_halved_others_have_every_second_turn(
    as_role: As, accept: Accept, flood: Flood, budget: Budget
) -> None:
    flood("x")
    for _ in range(3):
        accept(life=3600.0, lane="x", account="other")
    leases = leases_of(as_role, budget)
    served = []
    for _ in range(8):
        (lease,) = take(leases, 1)
        served.append(lease.claim.account)
        end(leases, lease)
    assert served == ["flood", "other"] * 3 + ["flood", "flood"]


def test_case_113_a_flood_of_urgent_tasks_shares_the_reserved_slots_too(
    as_role: As, accept: Accept, flood: Flood
) -> None:
    flood("x")
    accept(life=3600.0, lane="x", account="patient")
    urgent = accept(life=250.0, lane="y", account="other")
    leases = leases_of(as_role, Budget(4, 4))
    reserved = taking(leases, urgent_only=True)
    assert [next(reserved).claim.account for _ in range(2)] == ["flood", "flood"]
    assert next(reserved).claim.task_id == urgent
    assert next(reserved).claim.account == "flood", "whoever may not use the slot does not keep it empty"


@pytest.mark.parametrize("stage", [Stage.VERIFY, Stage.PROMOTE])
def test_case_113_accounts_share_the_later_stages_too(as_role: As, accept: Accept, stage: Stage) -> None:
    for account in ["flood"] * 6 + ["other"] * 3:
        accept(account=account)
        stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
        if stage is Stage.PROMOTE:
            prove(as_role("verifier"), taken(as_role("verifier"), Stage.VERIFY))
    leases = leases_of(as_role, Budget(4, 4), stage)
    take(leases, 4)
    assert accounts(leases) == {"flood": 2, "other": 2}


def test_what_is_past_its_time_takes_no_place_from_a_crowd_that_is_in_time(
    as_role: As, accept: Accept, flood: Flood
) -> None:
    flood("x", tasks=10)
    for _ in range(4):
        accept(life=-10.0, lane="x", account="other")
    leases = leases_of(as_role, Budget(4, 4))
    take(leases, 3)
    assert accounts(leases) == {"flood": 3}


def test_the_most_urgent_of_the_others_is_claimed_in_whatever_lane(as_role: As, accept: Accept, flood: Flood) -> None:
    flood("x", "y", tasks=10)
    late, second = accept(life=-10.0, lane="x", account="b"), accept(life=500.0, lane="x", account="b")
    first, third = accept(life=400.0, lane="y", account="c"), accept(life=600.0, lane="z", account="a")
    fourth = accept(life=700.0, lane="x", account="z")
    own = claims(as_role("downloader"), Stage.DOWNLOAD)

    def beside() -> UUID | str:
        claim = own.take(Barred(crowded=("flood",)))
        assert claim is not None
        return claim.account if claim.account == "flood" else claim.task_id

    assert [beside() for _ in range(3)] == [first, second, third]
    assert beside() == late, "each fourth turn is theirs"
    assert [beside() for _ in range(2)] == [fourth, "flood"]


def test_an_account_that_is_crowded_in_one_lane_is_served_in_another(as_role: As, accept: Accept) -> None:
    for lane in ("x", "y"):
        accept(life=100.0, lane=lane, account="flood")
        accept(life=3600.0, lane=lane, account="other")
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    claim = own.take(Barred(crowded_there=("flood@x",)))
    assert claim is not None
    assert (claim.account, claim.lane) == ("flood", "y")


def test_an_account_that_is_crowded_where_no_other_waits_keeps_its_turn(as_role: As, accept: Accept) -> None:
    """The others have nothing in that lane, so they lose no place in it, and what is urgent goes first."""
    for life, account in ((100.0, "flood"), (200.0, "busy")):
        accept(life=life, lane="x", account=account)
    accept(life=3600.0, lane="y", account="other")
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    found = [own.take(Barred(crowded=("busy",), crowded_there=("flood@x",))) for _ in range(3)]
    assert [claim.account for claim in found if claim] == ["flood", "other", "busy"]


def test_what_is_barred_is_barred_beside_a_crowd_too(as_role: As, accept: Accept) -> None:
    accept(life=100.0, lane="p/x", account="flood")
    accept(life=200.0, lane="q/x", account="other")
    accept(life=300.0, lane="p/y", account="other")
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    claim = own.take(Barred(lanes=("p/x",), providers=("q",), crowded=("flood",)))
    assert claim is not None
    assert claim.lane == "p/y"
    assert own.take(Barred(lanes=("p/x", "p/y"), providers=("q",), crowded=("flood",))) is None


def test_a_struck_task_of_another_waits_for_the_struck_one_that_works(as_role: As, accept: Accept) -> None:
    for _ in range(2):
        accept(life=100.0, account="other")
    short = claims(as_role("downloader"), Stage.DOWNLOAD, lease_seconds=0.1)
    assert short.take() is not None
    assert short.take() is not None
    lapsed = Counter[str]()

    def both_lapsed() -> bool:
        lapsed["tasks"] += short.wake()
        return lapsed["tasks"] == 2

    until(both_lapsed)
    for _ in range(2):
        accept(life=50.0, account="flood")
    accept(life=900.0, account="other")
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    found = [own.take(Barred(crowded_there=("flood@other/00",))) for _ in range(3)]
    found.append(own.take(Barred(crowded=("flood",))))
    assert [claim and (claim.account, claim.strikes) for claim in found] == [
        ("other", 1),
        ("other", 0),
        ("flood", 0),
        ("flood", 0),
    ]


def test_twenty_workers_beside_a_crowd_claim_every_task_once(as_role: As, accept: Accept) -> None:
    tasks = {accept(lane=f"other/{n % 3:02d}", account=f"a{n % 4}") for n in range(40)}

    def work(number: int) -> list[UUID]:
        mine: list[UUID] = []
        own = claims(as_role("downloader"), Stage.DOWNLOAD, worker=f"w{number}")
        while claim := own.take(Barred(crowded=(f"a{number % 4}",), crowded_there=("a0@other/01",))):
            mine.append(claim.task_id)
        return mine

    with ThreadPoolExecutor(12) as pool:
        found = [task for mine in pool.map(work, range(20)) for task in mine]
    assert sorted(map(str, found)) == sorted(map(str, tasks))


@pytest.mark.parametrize("barred", [Barred(), Barred(crowded=("flood",)), Barred(crowded_there=("flood@other/00",))])
def test_workers_that_claim_at_the_same_moment_all_get_a_task(as_role: As, accept: Accept, barred: Barred) -> None:
    """None comes away with nothing because another is just taking the task that comes first."""
    workers = 8
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    start = Barrier(workers)

    def work(_: int) -> str | None:
        start.wait()
        claim = own.take(barred)
        return claim.account if claim else None

    for _ in range(5):
        accept(life=50.0, account="flood")
        others = {accept(account=f"a{n}") and f"a{n}" for n in range(workers)}
        with ThreadPoolExecutor(workers) as pool:
            served = list(pool.map(work, range(workers)))
        assert None not in served
        assert not barred.crowded or set(served) == others
        while own.take():
            pass
