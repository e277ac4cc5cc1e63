"""Which failures tell of a source as a whole."""

import pytest

from services.downloader.reach import is_away
from shared.errors import Failure
from shared.reasons import Reason

AWAY = {Reason.SOURCE_UNAVAILABLE, Reason.RATE_LIMITED}


@pytest.mark.parametrize("phase", ["resolve", "connect", "request", "head"])
def test_a_source_that_stalls_before_its_answer_is_away(phase: str) -> None:
    assert is_away(Failure(Reason.STALLED, {"phase": phase}))


def test_a_source_that_stalls_in_a_body_has_answered() -> None:
    assert not is_away(Failure(Reason.STALLED, {"phase": "body"}))


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.STALLED])
def test_only_a_source_that_cannot_be_reached_or_sends_us_off_is_away(reason: Reason) -> None:
    assert is_away(Failure(reason)) == (reason in AWAY)


@pytest.mark.parametrize("status", [202, 425])
def test_a_source_that_has_one_output_not_yet_is_not_away(status: int) -> None:
    assert not is_away(Failure(Reason.SOURCE_UNAVAILABLE, {"status": status}))
    assert is_away(Failure(Reason.SOURCE_UNAVAILABLE, {"status": 503}))
