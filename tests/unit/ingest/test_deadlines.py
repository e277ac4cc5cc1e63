"""When a reported output ends, and whether that may be believed for the order."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.deadlines import Deadlines, deadlines_of
from shared.expiry import Confidence
from shared.messages import OutputReady
from shared.providers import Provider, Refresh

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WEEK, HOUR, MINUTE = timedelta(days=7), timedelta(hours=1), timedelta(minutes=1)
REFRESH = Refresh(url="https://api.example/jobs/{job_id}")


def signed(life: timedelta, *, session: bool = False, at: datetime = NOW) -> str:
    token = "&X-Amz-Security-Token=t" if session else ""
    return (
        f"https://a.example/x?X-Amz-Date={at:%Y%m%dT%H%M%SZ}&X-Amz-Expires={life.total_seconds():.0f}"
        f"&X-Amz-Signature=s{token}"
    )


def ends(url: str | None, provider: dict[str, Any] | None = None, **more: Any) -> Deadlines:
    data = OutputReady.model_validate({"provider": "p", "job_id": "j", "url": url, **more})
    return deadlines_of(data, NOW, NOW, Provider(name="p", **(provider or {})))


def test_a_signed_end_is_believed_and_its_life_counted() -> None:
    found = ends(signed(HOUR))
    assert (found.url_expires_at, found.deadline) == (NOW + HOUR, NOW + HOUR)
    assert (found.life_seconds, found.life_is_sure) == (3600.0, True)


def test_fr03_an_end_that_credentials_may_bring_sooner_is_no_measured_life_and_no_order() -> None:
    found = ends(signed(WEEK, session=True))
    assert (found.url_expires_at, found.confidence) == (NOW + WEEK, Confidence.AT_MOST)
    assert (found.life_seconds, found.life_is_sure) == (None, False)
    sooner = ends(signed(WEEK, session=True), url_expires_at=(NOW + HOUR).isoformat())
    assert (sooner.deadline, sooner.life_seconds, sooner.life_is_sure) == (NOW + HOUR, 3600.0, True)


def test_the_end_of_the_job_record_is_believed_whatever_the_link_is() -> None:
    found = ends(signed(WEEK, session=True), {"refresh": REFRESH, "life": {"record": 86400}})
    assert (found.deadline, found.life_is_sure) == (NOW + timedelta(days=1), True)
    assert found.life_seconds is None
    unknown_record = ends(signed(WEEK, session=True), {"refresh": REFRESH})
    assert (unknown_record.deadline, unknown_record.life_is_sure) == (None, False)


def test_nothing_that_is_said_is_an_unknown_life() -> None:
    for found in (ends("https://a.example/x"), ends(None), ends("https://a.example/x", {"refresh": REFRESH})):
        assert (found.url_expires_at, found.deadline, found.life_seconds, found.life_is_sure) == (
            None,
            None,
            None,
            False,
        )


def test_fr01_the_policy_of_the_provider_is_an_end_too() -> None:
    found = ends("https://a.example/x", {"life": {"url": 60}})
    assert (found.deadline, found.expires_from, found.life_seconds) == (NOW + MINUTE, "policy", 60.0)
    assert ends(signed(HOUR), {"life": {"url": 60}}).deadline == NOW + MINUTE


@pytest.mark.parametrize("never", ["9999-12-31T23:59:59Z", "2040-01-01T00:00:00Z"])
def test_an_end_beyond_ten_years_is_somebody_s_word_for_never_and_not_believed(never: str) -> None:
    assert ends("https://a.example/x", url_expires_at=never).deadline is None


@given(st.timedeltas(timedelta(seconds=1), WEEK), st.booleans(), st.none() | st.timedeltas(-WEEK, WEEK))
def test_no_promise_makes_an_end_later_than_another_one_that_is_known(
    life: timedelta, session: bool, told: timedelta | None
) -> None:
    event = None if told is None else (NOW + told).isoformat()
    found = ends(signed(life, session=session), url_expires_at=event)
    whole = NOW + timedelta(seconds=round(life.total_seconds()))
    assert found.deadline is not None
    assert found.deadline <= whole + timedelta(seconds=1)
    assert told is None or found.deadline <= NOW + told
