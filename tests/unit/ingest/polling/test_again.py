"""When a job is asked for again, and when it is lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from services.ingest.polling.again import Again, after_failure, after_word, at_once, is_lost
from services.ingest.polling.due import Due
from services.ingest.reported import Job
from shared.errors import Failure
from shared.providers import Provider
from shared.providers.asking import Unknown
from shared.providers.entry import Lives, Poll
from shared.providers.pace import SPREAD
from shared.providers.report import Report, Said
from shared.reasons import Reason

NOW = datetime(2026, 12, 1, tzinfo=UTC)
POLL = Poll(url="https://api.acme.example/{job_id}", every_seconds=10, most_seconds=60)
ACME = Provider(name="acme", poll=POLL)
RUNNING = Report(Said.RUNNING, "queued", None, None, None, None, None, (), ())
MOST = 1 + SPREAD


def due(age: float = 100.0, **changes: object) -> Due:
    started_at = NOW - timedelta(seconds=age)
    plain = Due(Job("studio", "acme", "main", "1"), None, started_at, 1, 0, 0, None, None)
    return replace(plain, **changes)  # type: ignore[arg-type]  # each test names its fields


def failed(failure: Failure, of: Due | None = None, provider: Provider = ACME) -> Again:
    return after_failure(of or due(), failure, provider, POLL, NOW)


def waited(age: float, wait: float | None = None, provider: Provider = ACME) -> float:
    again = after_word(due(age), RUNNING, wait, provider, POLL, NOW)
    assert (again.troubles, again.unknown, again.reason, again.word) == (0, 0, None, "queued")
    return again.due_seconds


def test_a_job_that_takes_long_is_asked_for_less_often() -> None:
    assert 8 <= waited(5) <= 12
    assert 24 <= waited(300) <= 36
    assert 48 <= waited(86_000) <= 72


def test_jobs_that_began_together_part() -> None:
    assert len({waited(5) for _ in range(20)}) > 10


@pytest.mark.parametrize(
    ("life", "wish", "least", "most"),
    [
        (Lives(), 120.0, 120, 144),
        (Lives(), 6 * 3600.0, 3600, 4320),
        (Lives(url=600), 3600.0, 300, 360),
        (Lives(record=3600), 3600.0, 1800, 2160),
        (Lives(), None, 8, 12),
    ],
)
def test_fr48_a_wish_to_wait_is_kept_as_long_as_enough_of_a_link_would_be_left(
    life: Lives, wish: float | None, least: float, most: float
) -> None:
    provider = Provider(name="acme", poll=POLL, life=life)
    assert least <= waited(5, wish, provider) <= most
    again = failed(Failure(Reason.RATE_LIMITED, {}, retry_after=wish), due(5), provider)
    assert least <= again.due_seconds <= max(most, 2 * 10 * MOST)


def test_troubles_are_waited_out_with_back_off_up_to_five_minutes() -> None:
    seconds = [
        failed(Failure(Reason.SOURCE_UNAVAILABLE, {"answer_status": 503}), due(5, troubles=n)).due_seconds
        for n in range(12)
    ]
    assert 16 <= seconds[0] <= 24
    assert 64 <= seconds[2] <= 96
    assert all(240 <= wait <= 360 for wait in seconds[5:])


def test_a_failure_keeps_the_providers_own_word() -> None:
    assert failed(Failure(Reason.SOURCE_UNAVAILABLE, {"provider_error": "1000"})).word == "1000"
    assert failed(Failure(Reason.SOURCE_UNAVAILABLE, {"answer_status": 502})).word == "HTTP 502"
    assert failed(Failure(Reason.STALLED, {})).word is None


def test_fr47_an_unknown_job_is_lost_after_three_such_answers_over_half_a_minute() -> None:
    again = failed(Unknown({"answer_status": 404}))
    assert (again.unknown, again.unknown_since) == (1, NOW)
    assert not is_lost(again, NOW)
    soon = failed(Unknown({}), due(unknown=2, unknown_since=NOW - timedelta(seconds=29)))
    assert (soon.unknown, is_lost(soon, NOW)) == (3, False)
    few = failed(Unknown({}), due(unknown=1, unknown_since=NOW - timedelta(seconds=300)))
    assert (few.unknown, is_lost(few, NOW)) == (2, False)
    lost = failed(Unknown({}), due(unknown=2, unknown_since=NOW - timedelta(seconds=30)))
    assert is_lost(lost, NOW)


def test_a_job_that_began_a_moment_ago_may_be_unknown_yet() -> None:
    again = failed(Unknown({"answer_status": 404}), due(age=59, unknown=9, unknown_since=NOW - timedelta(seconds=59)))
    assert (again.unknown, again.troubles, again.reason) == (0, 0, Reason.JOB_RECORD_GONE)
    assert again.due_seconds <= 12


def test_any_other_answer_begins_the_count_anew() -> None:
    before = due(unknown=2, unknown_since=NOW - timedelta(seconds=300))
    for failure in (Failure(Reason.STALLED), Failure(Reason.CREDENTIAL_REFUSED), Failure(Reason.RATE_LIMITED)):
        again = failed(failure, before)
        assert (again.unknown, again.unknown_since) == (0, None)
        assert not is_lost(again, NOW)


def test_a_job_that_was_not_asked_for_to_the_end_is_given_back_as_it_was() -> None:
    before = due(troubles=3, unknown=1, unknown_since=NOW)
    assert at_once(before) == Again(0.0, 3, 1, NOW)
