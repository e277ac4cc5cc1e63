"""Which transfers are finished when their process is asked to end, and which are given back."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.evidence import Sighting
from services.downloader.parting import COMPLETING_SECONDS, WINDOW_SECONDS, Parting

STEP = 0.5


class Transfer:
    """A transfer whose clock and bytes the test moves, asked twice a second as a real one is."""

    def __init__(self, total: int | None = 1000) -> None:
        self.now = 100.0
        self.stop_at: float | None = None
        self.seen = Sighting()
        answer: Any = SimpleNamespace(content_length=total)
        self.answer = answer
        self.parting = Parting(self.seen, self._left, lambda: self.now)

    def _left(self) -> float | None:
        return None if self.stop_at is None else self.stop_at - self.now

    def begins(self) -> "Transfer":
        self.seen.answer = self.answer
        self.parting.is_due()
        return self

    def goes_on(self, seconds: float, bytes_per_second: float) -> bool:
        """Whether it was due at any moment of this time."""
        due = False
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            self.seen.wire_bytes += round(bytes_per_second * STEP)
            due |= self.parting.is_due()
        return due

    def is_due_with(self, left: float) -> bool:
        self.stop_at = self.now + left
        return self.parting.is_due()


def half_way(rate: float = 50.0) -> Transfer:
    transfer = Transfer().begins()
    transfer.goes_on(500 / rate, rate)
    return transfer


def test_while_the_process_runs_on_no_transfer_is_given_back() -> None:
    assert not half_way().goes_on(1000.0, 0.0)
    assert not Transfer(None).parting.is_due()


def test_fr78_and_case_66_a_transfer_whose_rest_ends_in_time_goes_on() -> None:
    assert not half_way().is_due_with(10.0 + COMPLETING_SECONDS)
    assert half_way().is_due_with(10.0 + COMPLETING_SECONDS - 0.1)


@pytest.mark.parametrize("left", [0.5, 100.0, 1e6])
def test_fr78_and_case_66_what_cannot_be_measured_is_given_back_at_once(left: float) -> None:
    unknown_length = Transfer(None).begins()
    unknown_length.goes_on(5.0, 50.0)
    not_begun, nothing_received = Transfer(), Transfer().begins()
    assert [each.is_due_with(left) for each in (unknown_length, not_begun, nothing_received)] == [True] * 3


def test_a_body_that_is_whole_needs_only_the_time_to_complete_it() -> None:
    transfer = half_way()
    transfer.goes_on(10.0, 50.0)
    came_with_the_head = Transfer()
    came_with_the_head.seen.answer, came_with_the_head.seen.wire_bytes = came_with_the_head.answer, 1000
    for whole in (transfer, came_with_the_head):
        assert whole.seen.wire_bytes == 1000
        assert not whole.is_due_with(COMPLETING_SECONDS)
        assert whole.is_due_with(COMPLETING_SECONDS - 0.1)


def test_a_transfer_that_stalls_after_the_wish_to_stop_is_given_back_in_time() -> None:
    transfer = half_way()
    assert not transfer.is_due_with(30.0)
    assert transfer.goes_on(WINDOW_SECONDS, 0.0)
    assert transfer.stop_at is not None
    assert transfer.stop_at - transfer.now >= 30.0 - WINDOW_SECONDS


def test_a_transfer_that_was_fast_long_ago_is_measured_by_what_it_does_now() -> None:
    transfer = Transfer(2000).begins()
    transfer.goes_on(10.0, 150.0)
    transfer.goes_on(WINDOW_SECONDS + STEP, 1.0)
    assert transfer.is_due_with(60.0)
    recovered = Transfer(2000).begins()
    recovered.goes_on(60.0, 1.0)
    recovered.goes_on(WINDOW_SECONDS + STEP, 100.0)
    assert not recovered.is_due_with(20.0)


def test_the_pause_before_a_resume_counts_as_time_without_bytes() -> None:
    transfer = half_way()
    transfer.seen.resumes += 1
    transfer.goes_on(10.0, 0.0)
    assert transfer.is_due_with(21.0)
    transfer.goes_on(10.0, 25.0)
    assert not transfer.is_due_with(12.0)


@given(
    st.integers(1, 10**9),
    st.floats(0.0, 100.0),
    st.lists(st.integers(0, 10**8), max_size=60),
    st.lists(st.integers(0, 10**8), max_size=60),
)
def test_whatever_a_source_does_no_transfer_goes_on_past_its_time(
    total: int, left: float, before: list[int], after: list[int]
) -> None:
    transfer = Transfer(total).begins()
    for count in before:
        transfer.goes_on(STEP, count)
        transfer.seen.wire_bytes = min(transfer.seen.wire_bytes, total)
    due = transfer.is_due_with(left)
    for count in after:
        if due:
            return
        due = transfer.goes_on(STEP, count)
    assert transfer.stop_at is not None
    assert due or transfer.now <= transfer.stop_at - COMPLETING_SECONDS
