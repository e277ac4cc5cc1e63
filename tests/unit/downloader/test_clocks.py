"""What time it is at a source and at the database, whatever the worker's own clock says."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.clocks import HEARD_SECONDS, MOST_HOSTS, MOST_OFF, Clocks

TRUE = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


class World:
    """A true time, which the database tells, a worker with a clock of its own, and sources with theirs."""

    def __init__(self, worker: timedelta = timedelta()) -> None:
        self.passed = 0.0
        self.worker = worker
        self.clocks = Clocks(lambda: self.true, lambda: self.passed, lambda: self.true + self.worker)

    @property
    def true(self) -> datetime:
        return TRUE + timedelta(seconds=self.passed)

    def answers(self, host: str, ahead: timedelta) -> None:
        """A source answers whose clock is `ahead` of the true time."""
        self.clocks.of(host).hear((ahead - self.worker).total_seconds())

    def off(self, host: str) -> timedelta:
        """How far the time believed of a host is off the true one."""
        return self.clocks.of(host).now() - self.true


@pytest.mark.parametrize("worker", [HOUR, -HOUR, timedelta()])
def test_case_27_the_clock_of_the_worker_decides_nothing(worker: timedelta) -> None:
    world = World(worker)
    assert world.off("a") == timedelta()
    world.answers("a", 20 * MINUTE)
    world.answers("b", -20 * MINUTE)
    assert (world.off("a"), world.off("b"), world.off("c")) == (20 * MINUTE, -20 * MINUTE, timedelta())


def test_case_27_a_jump_of_the_worker_s_clock_changes_nothing_about_what_was_heard() -> None:
    world = World()
    world.answers("a", 5 * MINUTE)
    world.worker, world.passed = HOUR, 100.0
    assert world.off("a") == 5 * MINUTE
    world.answers("b", 5 * MINUTE)
    assert world.off("b") == 5 * MINUTE


def test_a_link_has_ended_only_if_it_has_by_both_clocks() -> None:
    world = World(HOUR)
    world.answers("ahead", 2 * HOUR)
    world.answers("behind", -20 * MINUTE)
    earliest = {host: world.clocks.of(host).earliest() - world.true for host in ("ahead", "behind", "unheard")}
    assert earliest == {"ahead": timedelta(), "behind": -20 * MINUTE, "unheard": timedelta()}


def test_an_answer_without_a_date_leaves_what_was_heard_before() -> None:
    world = World()
    world.answers("a", MINUTE)
    world.clocks.of("a").hear(None)
    world.clocks.of("b").hear(None)
    assert (world.off("a"), world.off("b")) == (MINUTE, timedelta())


def test_a_source_is_believed_for_an_hour_after_it_was_heard() -> None:
    world = World()
    world.answers("a", MINUTE)
    world.passed = HEARD_SECONDS
    assert world.off("a") == MINUTE
    world.passed += 1.0
    assert world.off("a") == timedelta()
    world.answers("a", 2 * MINUTE)
    assert world.off("a") == 2 * MINUTE


@pytest.mark.parametrize("far", [MOST_OFF + SECOND, -MOST_OFF - SECOND, timedelta(days=3650)])
def test_a_date_that_is_days_off_is_no_clock(far: timedelta) -> None:
    world = World(HOUR)
    world.answers("a", MINUTE)
    world.answers("a", far)
    assert world.off("a") == MINUTE


def test_the_thousand_hosts_heard_last_are_kept() -> None:
    world = World()
    for number in (*range(MOST_HOSTS), 0, MOST_HOSTS):
        world.answers(f"h{number}", MINUTE)
    assert [world.off(host) for host in ("h0", "h1", "h2", f"h{MOST_HOSTS}")] == [MINUTE, timedelta(), MINUTE, MINUTE]


def test_hosts_heard_in_many_threads_at_once_are_each_right() -> None:
    world = World()

    def work(number: int) -> bool:
        world.answers(f"h{number % 1500}", number % 1500 * SECOND)
        return world.off(f"h{number % 1500}") in (number % 1500 * SECOND, timedelta())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(6000)))


@given(st.floats(-80_000, 80_000), st.floats(-80_000, 80_000), st.floats(0, 3600))
def test_the_time_since_something_is_the_shorter_of_both_clocks_and_never_negative(
    ahead: float, dated: float, ago: float
) -> None:
    """Whoever dated it, the source or we, by whichever clock."""
    world = World(HOUR)
    world.answers("a", timedelta(seconds=ahead))
    for clock in (ahead, 0.0):
        since = world.clocks.of("a").seconds_since(TRUE + timedelta(seconds=clock - ago))
        assert 0.0 <= since <= ago + 1e-3
    assert world.clocks.of("b").seconds_since(TRUE + timedelta(seconds=dated)) == pytest.approx(abs(dated), abs=1e-5)
