"""Who may be asked now: the rate of each provider, its pauses, and the threads that it holds."""

import pytest

from services.ingest.polling.rate import Rate
from services.ingest.polling.rooms import Rooms


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_hundred_jobs_that_are_due_at_once_keep_the_rate() -> None:
    rate, now = Rate(5.0), 0.0
    starts: list[float] = []
    while len(starts) < 100:
        starts += [rate.take(now) for _ in range(rate.free(now, 0.5))]
        now += 0.5
    for first in range(100 - 6):
        assert starts[first + 5] - starts[first] >= 1 - 1e-9, "never more than five in a second"
    assert starts[-1] == pytest.approx(99 / 5, abs=0.5), "and not fewer"


def test_a_rate_of_less_than_one_in_a_look_is_kept_too() -> None:
    rate = Rate(0.1)
    assert rate.free(0.0, 0.5) == 1
    rate.take(0.0)
    assert rate.free(9.4, 0.5) == 0
    assert rate.free(9.6, 0.5) == 1
    assert rate.take(9.6) == pytest.approx(10.0)


def test_a_time_without_questions_earns_no_burst() -> None:
    rate = Rate(5.0)
    rate.take(0.0)
    assert rate.free(1000.0, 0.5) == 3
    assert [rate.take(1000.0) for _ in range(3)] == pytest.approx([1000.0, 1000.2, 1000.4])


def test_a_provider_holds_at_most_half_of_the_threads(clock: Clock) -> None:
    rooms = Rooms({"slow": 100.0, "other": 100.0}, 8, clock)
    assert rooms.free(0.5) == ({"slow": 8 // 2, "other": 8 // 2}, 8)
    for _ in range(4):
        rooms.enter("slow")
    assert rooms.free(0.5) == ({"other": 4}, 4)
    rooms.leave("slow", is_slow=False)
    assert rooms.free(0.5) == ({"slow": 1, "other": 4}, 5)


def test_one_that_does_not_answer_holds_one_thread_until_it_does(clock: Clock) -> None:
    rooms = Rooms({"dead": 100.0}, 8, clock)
    rooms.enter("dead")
    rooms.leave("dead", is_slow=True)
    assert rooms.free(0.5)[0] == {"dead": 1}
    rooms.enter("dead")
    assert rooms.free(0.5)[0] == {}
    rooms.leave("dead", is_slow=False)
    assert rooms.free(0.5)[0] == {"dead": 4}


def test_no_more_are_taken_than_there_are_threads(clock: Clock) -> None:
    rooms = Rooms({"a": 100.0, "b": 100.0, "c": 100.0}, 4, clock)
    for name in ("a", "a", "b"):
        rooms.enter(name)
    assert rooms.free(0.5) == ({"b": 1, "c": 1}, 1)


def test_a_pause_holds_one_provider_alone(clock: Clock) -> None:
    rooms = Rooms({"limited": 5.0, "other": 5.0}, 8, clock)
    rooms.pause("limited", 30.0)
    rooms.pause("limited", 0.0)
    assert list(rooms.free(0.5)[0]) == ["other"]
    clock.now += 29.6
    assert list(rooms.free(0.5)[0]) == ["limited", "other"]
    assert rooms.enter("limited") == pytest.approx(0.4)
