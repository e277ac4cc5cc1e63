"""When a lane closes, how long, and what opens it again."""

import pytest

from shared.breakers import Breakers

LANE = "acme/cdn.example"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breakers(clock: Clock) -> Breakers:
    return Breakers(clock)


def away(breakers: Breakers, times: int = 1, lane: str = LANE) -> None:
    """So many tasks of the lane, one after the other, find its host away."""
    for _ in range(times):
        task = object()
        breakers.took(lane, task)
        breakers.saw(lane, task, away=True)
        breakers.ended(lane, task)


def test_the_fifth_failure_in_a_row_closes_a_lane(breakers: Breakers) -> None:
    away(breakers, 4)
    assert breakers.closed() == breakers.broken() == []
    away(breakers)
    assert breakers.closed() == breakers.broken() == [LANE]


def test_an_answer_between_failures_starts_the_count_anew(breakers: Breakers) -> None:
    away(breakers, 4)
    breakers.saw(LANE, object(), away=False)
    away(breakers, 4)
    assert breakers.closed() == []


def test_failures_of_other_lanes_do_not_count(breakers: Breakers) -> None:
    away(breakers, 4)
    away(breakers, 4, "acme/api.example")
    assert breakers.closed() == []


@pytest.mark.parametrize("lane", ["other/07", "acme/*"])
def test_a_lane_of_many_hosts_never_closes(breakers: Breakers, lane: str) -> None:
    away(breakers, 50, lane)
    assert breakers.closed() == breakers.broken() == []


def test_a_closed_lane_lets_one_task_through_after_its_time_and_no_other_beside_it(
    breakers: Breakers, clock: Clock
) -> None:
    away(breakers, 5)
    clock.now += 0.99
    assert breakers.closed() == [LANE]
    clock.now += 0.01
    assert breakers.closed() == []
    assert breakers.broken() == [LANE]
    trial = object()
    breakers.took(LANE, trial)
    assert breakers.closed() == [LANE]


def test_each_trial_that_fails_closes_the_lane_for_longer_up_to_eight_seconds(breakers: Breakers, clock: Clock) -> None:
    away(breakers, 5)
    for seconds in (1, 2, 4, 8, 8, 8):
        clock.now += seconds - 0.01
        assert breakers.closed() == [LANE], f"it is closed for {seconds} s"
        clock.now += 0.01
        assert breakers.closed() == []
        away(breakers)


def test_an_answer_opens_a_lane_and_the_next_closing_is_short_again(breakers: Breakers, clock: Clock) -> None:
    away(breakers, 5)
    clock.now += 1
    away(breakers)
    clock.now += 2
    trial = object()
    breakers.took(LANE, trial)
    breakers.saw(LANE, trial, away=False)
    assert breakers.closed() == breakers.broken() == []
    away(breakers, 5)
    clock.now += 1
    assert breakers.closed() == []


def test_an_answer_to_a_task_that_began_before_opens_the_lane_too(breakers: Breakers) -> None:
    away(breakers, 5)
    breakers.saw(LANE, object(), away=False)
    assert breakers.closed() == []


def test_failures_of_tasks_that_began_before_make_the_wait_no_longer(breakers: Breakers, clock: Clock) -> None:
    away(breakers, 5)
    for _ in range(3):
        breakers.saw(LANE, object(), away=True)
    clock.now += 1
    assert breakers.closed() == []


def test_a_trial_that_ends_without_a_word_makes_room_for_the_next(breakers: Breakers, clock: Clock) -> None:
    away(breakers, 5)
    clock.now += 1
    trial = object()
    breakers.took(LANE, trial)
    breakers.ended(LANE, object())
    assert breakers.closed() == [LANE]
    breakers.ended(LANE, trial)
    assert breakers.closed() == []


def test_a_task_that_is_taken_while_the_lane_is_closed_is_no_trial(breakers: Breakers, clock: Clock) -> None:
    away(breakers, 5)
    urgent = object()
    breakers.took(LANE, urgent)
    breakers.saw(LANE, urgent, away=True)
    clock.now += 1
    assert breakers.closed() == []
