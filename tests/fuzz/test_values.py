"""Values of single fields, by hypothesis: times, waits and places of any form."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from math import isfinite
from typing import cast

from hypothesis import example, given
from hypothesis import strategies as st

from services.downloader.clocks import Clocks
from shared.egress import Answer, Headers, Refused, Target, parse, retry_after
from shared.egress.head import Head
from shared.egress.redirects import next_url
from shared.egress.trail import Trail
from shared.egress.wire import Wire
from shared.errors import Failure
from shared.reasons import Reason
from tests.fuzz.damage import damaged_text

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BASES = tuple(map(parse, ("https://h.test/a/b?c", "http://h.test:8080", "https://h.test//?")))
_ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_DATES = st.datetimes(timezones=_ZONES | st.none()).map(format_datetime)
_NUMBERS = st.integers().map(str) | st.floats().map(str)
_LATIN = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"))
_DAMAGED = st.builds(damaged_text, st.randoms(), _DATES)
VALUES = _DATES | _DAMAGED | _NUMBERS | _LATIN
LOCATIONS = _LATIN | st.from_regex(r"(https?:)?/{0,3}[a-z.@:\[\]0-9]{0,12}/?[^\s]{0,12}").filter(lambda s: s.isascii())


@given(VALUES)
def test_any_retry_after_is_a_wait_or_none(value: str) -> None:
    found = retry_after(Headers({"Retry-After": value}), NOW)
    assert found is None or (found >= 0 and isfinite(found))


@given(VALUES)
@example("Fri, 31 Dec 9999 23:59:59 GMT")
def test_any_date_is_an_offset_that_a_clock_can_hear_or_none(value: str) -> None:
    head = Head(1, 200, Headers({"Date": value}))
    answer = Answer(head, cast(Wire, None), Trail(), credentialed=False, deadline=0.0)
    assert answer.clock_offset is None or isfinite(answer.clock_offset)
    clock = Clocks(lambda: NOW, machine=lambda: datetime.now(UTC) + timedelta(seconds=2)).of("h.test")
    clock.hear(answer.clock_offset)
    assert abs(clock.now() - NOW) < timedelta(days=2)


@given(st.sampled_from(BASES), LOCATIONS)
def test_any_location_is_a_url_to_be_judged_or_a_refusal(target: Target, location: str) -> None:
    try:
        url = next_url(target, Headers({"Location": location}))
    except Failure as failure:
        assert failure.reason is Reason.REDIRECT_REFUSED
        return
    assert url.isascii()
    with suppress(Refused):
        found = parse(url)
        assert found.scheme == "https" or target.scheme == "http"
        assert found.host.isascii()
