"""Providers with a cap, and hosts that are left alone while they are away."""

from itertools import count

from shared.breakers import Breakers
from shared.lanes import Budget
from tests.integration.db.conftest import Accept, As, Flood
from tests.integration.db.holding import end, leases_of, take, taking


def test_a_providers_cap_holds_over_its_hosts_listed_or_not(as_role: As, accept: Accept) -> None:
    for lane in ("acme/cdn.example", "acme/*", "acme/*"):
        accept(life=60.0, lane=lane)
    spare = accept(life=3600.0, lane="acme-two/*")
    leases = leases_of(as_role, Budget(4, 4, {"acme": 2}))
    first, _, third = take(leases, 4)
    assert [lease.claim.lane.split("/")[0] for lease in leases.all()] == ["acme", "acme", "acme-two"]
    assert third.claim.task_id == spare
    end(leases, first)
    (again,) = take(leases, 4)
    assert again.claim.lane == "acme/*"


def test_a_host_that_is_away_is_left_alone_tried_by_one_task_and_opened_by_an_answer(
    as_role: As, accept: Accept
) -> None:
    for number in range(12):
        accept(life=600.0 + number, lane="acme/cdn.example", account=f"a{number}")
    accept(life=3600.0, lane="other/00")
    seconds = [100.0]
    leases = leases_of(as_role, Budget(8, 8), breakers=Breakers(lambda: seconds[0]))
    for lease in take(leases, 5):
        lease.saw(away=True)
        end(leases, lease)
    assert [lease.claim.lane for lease in take(leases, 8)] == ["other/00"]
    seconds[0] += 1
    (trial,) = take(leases, 8)
    assert trial.claim.lane == "acme/cdn.example"
    trial.saw(away=True)
    end(leases, trial)
    seconds[0] += 1
    assert take(leases, 8) == [], "the second closing lasts two seconds"
    seconds[0] += 1
    (trial,) = take(leases, 8)
    trial.saw(away=False)
    assert len(take(leases, 8)) == 5


def test_a_reserved_slot_tries_a_host_that_seems_away(as_role: As, accept: Accept) -> None:
    """A link with little time left could die while its lane is closed."""
    for number in range(6):
        accept(life=200.0 + number, lane="acme/cdn.example")
    leases = leases_of(as_role, Budget(8, 8))
    for lease in take(leases, 5):
        lease.saw(away=True)
        end(leases, lease)
    assert take(leases, 1) == []
    assert len([*taking(leases, urgent_only=True)]) == 1


def test_an_account_whose_links_fail_does_not_keep_the_trials_for_itself(
    as_role: As, accept: Accept, flood: Flood
) -> None:
    flood("acme/cdn.example", tasks=100)
    good = accept(life=3600.0, lane="acme/cdn.example", account="other")
    ticks = count(100.0, 10.0)
    leases = leases_of(as_role, Budget(8, 8), breakers=Breakers(lambda: next(ticks)))
    for lease in take(leases, 4):
        assert lease.claim.account == "flood"
        lease.saw(away=True)
        end(leases, lease)
    (fifth,) = take(leases, 1)
    fifth.saw(away=True)
    end(leases, fifth)
    (trial,) = take(leases, 1)
    assert trial.claim.task_id == good
