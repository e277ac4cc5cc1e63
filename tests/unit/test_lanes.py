"""What a claim must leave alone, judged from what the process holds."""

from collections.abc import Mapping

import pytest

from shared.lanes import ANYWHERE, Barred, Budget, Held, is_of_one_host, provider_of


def held(*places: str) -> list[Held]:
    """`held("a@x", "b@x")`: two tasks, of the accounts a and b, in the lane x."""
    return [Held(lane, account) for account, lane in (place.split("@") for place in places)]


def after(*places: str) -> dict[str, str]:
    """Who was served last, when these were taken in this order."""
    served: dict[str, str] = {}
    for place in held(*places):
        served |= {ANYWHERE: place.account, place.lane: place.account}
    return served


def barred(budget: Budget, *places: str, served: Mapping[str, str] | None = None, **more: list[str]) -> Barred:
    return budget.barred(held(*places), after(*places) if served is None else served, **more)


def test_nothing_is_barred_from_a_process_that_holds_nothing() -> None:
    assert Budget(4, 2, {"acme": 1}).barred([], {}) == Barred()


@pytest.mark.parametrize(("slots", "per_lane"), [(1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
def test_a_lane_gets_half_of_the_slots_unless_told(slots: int, per_lane: int) -> None:
    assert Budget.of_downloads(slots, None, {}).per_lane == per_lane
    assert Budget.of_downloads(slots, 7, {}).per_lane == 7


def test_a_lane_at_its_cap_is_barred() -> None:
    assert barred(Budget(8, 2), "a@p/x", "a@p/y", "b@p/x").lanes == ("p/x",)


def test_a_closed_lane_is_barred_though_nobody_holds_it() -> None:
    assert barred(Budget(8, 2), "a@p/x", closed=["p/y"]).lanes == ("p/y",)


def test_a_provider_at_its_cap_is_barred_over_all_its_lanes() -> None:
    budget = Budget(8, 8, {"p": 2, "q": 2})
    assert barred(budget, "a@p/x", "a@q/x").providers == ()
    assert barred(budget, "a@p/x", "b@p/*", "a@q/x").providers == ("p",)


def test_an_account_that_holds_half_of_the_slots_is_crowded() -> None:
    budget = Budget(5, 5)
    assert barred(budget, "a@x").crowded == ()
    assert set(barred(budget, "a@x", "a@y").crowded) == {"a"}
    assert set(barred(budget, "a@x", "a@y", "b@x", "b@y").crowded) == {"a", "b"}


def test_an_account_that_holds_half_of_a_lane_is_crowded_there_alone() -> None:
    assert barred(Budget(8, 2), "a@x", "b@y").crowded_there == ("a@x", "b@y")
    assert barred(Budget(8, 2), "a@x", "b@y").crowded == ()
    assert barred(Budget(8, 4), "a@x", "b@y").crowded_there == ()


def test_of_one_slot_the_account_served_last_is_crowded_though_it_holds_nothing() -> None:
    assert barred(Budget(1, 1), served=after("a@x", "b@y")).crowded == ("b",)


def test_of_a_lane_with_one_place_the_account_served_last_is_crowded_there() -> None:
    assert barred(Budget(4, 1), served=after("a@x", "b@y")).crowded_there == ("a@x", "b@y")
    assert barred(Budget(8, 4), served=after("a@x", "b@y"), on_trial=["y"]).crowded_there == ("b@y",)


@pytest.mark.parametrize(
    ("lane", "provider", "of_one_host"),
    [("acme/cdn.example", "acme", True), ("acme/*", "acme", False), ("other/07", "other", False), ("*", "*", False)],
)
def test_a_lane_says_whose_it_is(lane: str, provider: str, of_one_host: bool) -> None:
    assert (provider_of(lane), is_of_one_host(lane)) == (provider, of_one_host)
