"""What follows a failed transfer, as a table."""

import pytest

from services.downloader.decide import AWAY, EARLY_TRIES, TRANSFERS, Situation, Step, decide, healing_seconds
from shared.reasons import Next, Reason


def after(
    reason: Reason,
    *,
    tries: int = 0,
    refreshes: int = 0,
    since: float = 600.0,
    delay: float | None = 1.0,
    life_known: bool = True,
    elsewhere: bool = False,
) -> Step:
    return decide(Situation(reason, tries, refreshes, since, delay, life_known, elsewhere))


@pytest.mark.parametrize("reason", [r for r in Reason if r.rule.next is Next.RETRY])
def test_a_passing_fault_is_tried_again_inside_the_life(reason: Reason) -> None:
    assert after(reason) is Step.RETRY
    assert after(reason, delay=None, elsewhere=True) is Step.RETRY_ELSEWHERE
    assert after(reason, delay=None, elsewhere=False) is Step.STOP


@pytest.mark.parametrize("reason", sorted({r for r in Reason if r.rule.next is Next.RETRY} - AWAY))
def test_a_source_that_answers_and_fails_eight_times_is_given_up(reason: Reason) -> None:
    assert after(reason, tries=TRANSFERS - 2) is Step.RETRY
    assert after(reason, tries=TRANSFERS - 1) is Step.STOP
    assert after(reason, tries=TRANSFERS - 1, elsewhere=True) is Step.RETRY_ELSEWHERE


@pytest.mark.parametrize("reason", sorted(AWAY))
def test_a_source_that_is_away_is_asked_as_long_as_its_link_lives(reason: Reason) -> None:
    assert after(reason, tries=500, since=80_000.0) is Step.RETRY
    assert after(reason, tries=500, since=3000.0, life_known=False) is Step.RETRY
    assert after(reason, tries=500, since=4000.0, life_known=False) is Step.STOP
    assert after(reason, tries=500, delay=None) is Step.STOP


@pytest.mark.parametrize("reason", [Reason.URL_EXPIRED, Reason.SOURCE_GONE, Reason.URL_REFUSED])
def test_an_ended_link_is_refreshed_where_there_is_a_way_else_the_task_stops(reason: Reason) -> None:
    """FR-04."""
    assert after(reason, elsewhere=True) is Step.RETRY_ELSEWHERE
    assert after(reason, elsewhere=False) is Step.STOP


def test_a_refusal_seconds_after_ready_gets_three_short_tries() -> None:
    """Fault 56."""
    assert [after(Reason.URL_REFUSED, tries=n, since=5.0) for n in range(4)] == [Step.RETRY] * 3 + [Step.STOP]


def test_case_56_the_short_tries_reach_over_a_refusal_that_heals_after_5_seconds() -> None:
    waits = [healing_seconds(Reason.URL_REFUSED, tries, 1.0) for tries in range(EARLY_TRIES + 1)]
    assert waits == [2.0, 4.0, 8.0, 0.0]
    assert healing_seconds(Reason.URL_REFUSED, 0, 31.0) == 0.0
    assert healing_seconds(Reason.SOURCE_GONE, 0, 1.0) == 0.0


@pytest.mark.parametrize("reason", [Reason.ERROR_BODY, Reason.EMPTY_BODY])
def test_an_error_page_is_tried_a_few_times_then_refreshed_once_then_stops(reason: Reason) -> None:
    """FR-25, FR-32."""
    assert [after(reason, tries=n, elsewhere=True) for n in range(3)] == [Step.RETRY] * 2 + [Step.RETRY_ELSEWHERE]
    assert after(reason, tries=2, elsewhere=False) is Step.STOP
    assert after(reason, tries=3, refreshes=1, elsewhere=True) is Step.STOP


@pytest.mark.parametrize("reason", [Reason.SIZE_MISMATCH, Reason.DECLARED_MISMATCH])
def test_bytes_that_differ_from_the_promise_are_fetched_once_more(reason: Reason) -> None:
    assert [after(reason, tries=n) for n in range(2)] == [Step.RETRY, Step.STOP]


@pytest.mark.parametrize("reason", [r for r in Reason if r.rule.next is Next.STOP])
def test_what_no_repetition_helps_stops_at_once(reason: Reason) -> None:
    assert after(reason, elsewhere=True) is Step.STOP


@pytest.mark.parametrize("reason", [Reason.PROVIDER_FAILED, Reason.PROVIDER_FILTERED])
def test_the_providers_own_word_ends_the_task(reason: Reason) -> None:
    assert after(reason, elsewhere=True) is Step.ABANDON
