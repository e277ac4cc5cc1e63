"""What an answer means, by status, words and clock."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.classify import Moment, reason_of
from shared.egress import Headers, retry_after
from shared.reasons import Reason

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FRESH = Moment(NOW, 3600.0, NOW + HOUR, credentialed=False)
ENDED = Moment(NOW, 3600.0, NOW - timedelta(seconds=1), credentialed=False)
UNKNOWN = Moment(NOW, 3600.0, None, credentialed=False)
EARLY = Moment(NOW, 5.0, NOW + HOUR, credentialed=False)
KEYED = Moment(NOW, 3600.0, NOW + HOUR, credentialed=True)


def xml(code: str, message: str = "") -> bytes:
    return (
        f'\ufeff<?xml version="1.0" encoding="utf-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
    ).encode()


S3_EXPIRED = xml("AccessDenied", "Request has expired</Message><Expires>2026-03-01T11:00:00Z</Expires><Message>")
AZURE_EXPIRED = xml("AuthenticationFailed", "Signature not valid in the specified time frame: Start [Sun]")


@pytest.mark.parametrize(
    ("status", "body", "moment", "reason"),
    [
        # FR-04 a to f
        (403, S3_EXPIRED, FRESH, Reason.URL_EXPIRED),
        (403, xml("SignatureDoesNotMatch"), FRESH, Reason.URL_REFUSED),
        (403, b"", FRESH, Reason.URL_REFUSED),
        (400, xml("ExpiredToken"), FRESH, Reason.URL_EXPIRED),
        (404, xml("NoSuchKey"), FRESH, Reason.SOURCE_GONE),
        (404, b"no longer available", FRESH, Reason.SOURCE_GONE),
        # the clock against the known end
        (403, b"", ENDED, Reason.URL_EXPIRED),
        (403, b"", UNKNOWN, Reason.URL_REFUSED),
        (403, xml("SignatureDoesNotMatch"), ENDED, Reason.URL_EXPIRED),
        (401, b"", ENDED, Reason.URL_EXPIRED),
        (400, b"", ENDED, Reason.URL_EXPIRED),
        (404, b"", ENDED, Reason.SOURCE_GONE),
        # the words of other stores
        (403, AZURE_EXPIRED, FRESH, Reason.URL_EXPIRED),
        (403, xml("AuthenticationFailed", "Server failed to authenticate"), FRESH, Reason.URL_REFUSED),
        (409, xml("PublicAccessNotPermitted"), FRESH, Reason.URL_REFUSED),
        (400, xml("InvalidArgument", "Only one auth mechanism allowed"), FRESH, Reason.URL_REFUSED),
        (403, xml("RequestTimeTooSkewed"), FRESH, Reason.URL_REFUSED),
        (404, xml("BlobNotFound"), FRESH, Reason.SOURCE_GONE),
        (403, b'{"error":{"code":"ExpiredToken"}}', FRESH, Reason.URL_EXPIRED),
        (404, b"This link has expired", FRESH, Reason.URL_EXPIRED),
        (401, b"Token is expired", FRESH, Reason.URL_EXPIRED),
        # FR-48: too early
        (404, b"", EARLY, Reason.EARLY_NOT_FOUND),
        (404, xml("NoSuchKey"), EARLY, Reason.EARLY_NOT_FOUND),
        (202, b"", FRESH, Reason.EARLY_NOT_FOUND),
        (410, b"", EARLY, Reason.SOURCE_GONE),
        (410, b"", FRESH, Reason.SOURCE_GONE),
        # FR-13: at the origin that was shown our key
        (401, b"", KEYED, Reason.CREDENTIAL_REFUSED),
        (403, S3_EXPIRED, KEYED, Reason.CREDENTIAL_REFUSED),
        (404, b"", KEYED, Reason.SOURCE_GONE),
        (202, b"{}", KEYED, Reason.SOURCE_UNAVAILABLE),
        # limits and trouble
        (429, b"", FRESH, Reason.RATE_LIMITED),
        (429, xml("AccessDenied", "token expired"), FRESH, Reason.RATE_LIMITED),
        (503, xml("SlowDown"), FRESH, Reason.RATE_LIMITED),
        (503, b"", FRESH, Reason.SOURCE_UNAVAILABLE),
        (500, b"token has expired", ENDED, Reason.SOURCE_UNAVAILABLE),
        (502, b"<html>", FRESH, Reason.SOURCE_UNAVAILABLE),
        (599, b"", FRESH, Reason.SOURCE_UNAVAILABLE),
        (408, b"", FRESH, Reason.SOURCE_UNAVAILABLE),
        (425, b"", FRESH, Reason.SOURCE_UNAVAILABLE),
        # not an output
        (204, b"", FRESH, Reason.EMPTY_BODY),
        (206, b"x", FRESH, Reason.PROTOCOL_VIOLATION),
        (203, b"x", FRESH, Reason.PROTOCOL_VIOLATION),
        (300, b"", FRESH, Reason.PROTOCOL_VIOLATION),
        (304, b"", FRESH, Reason.PROTOCOL_VIOLATION),
        (405, b"", FRESH, Reason.URL_REFUSED),
        # FR-31, FR-32: errors under a 200
        (200, S3_EXPIRED, FRESH, Reason.URL_EXPIRED),
        (200, xml("AccessDenied"), FRESH, Reason.URL_REFUSED),
        (200, xml("NoSuchKey"), FRESH, Reason.SOURCE_GONE),
        (200, xml("InternalError"), FRESH, Reason.SOURCE_UNAVAILABLE),
        (200, b'{"error": "oh"}', FRESH, Reason.ERROR_BODY),
        (200, b"<!doctype html><p>Your token has expired, log in", FRESH, Reason.ERROR_BODY),
    ],
)
def test_fr04_an_answer_means_what_its_status_words_and_the_clock_say(
    status: int, body: bytes, moment: Moment, reason: Reason
) -> None:
    assert reason_of(status, body, moment) is reason


@given(st.integers(200, 999), st.binary(), st.sampled_from([FRESH, ENDED, UNKNOWN, EARLY, KEYED]))
def test_every_answer_has_a_reason(status: int, body: bytes, moment: Moment) -> None:
    assert isinstance(reason_of(status, body, moment), Reason)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("21600", 21600.0),
        ("Sun, 01 Mar 2026 12:02:00 GMT", 120.0),
        ("Sunday, 01-Mar-26 12:02:00 GMT", 120.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("NaN", None),
        ("9" * 40, None),
        ("٣", None),
        ("Sun, 99 Mar 2026 12:02:00 GMT", None),
        ("Sun, 01 Mar 2026 12:02:00", None),
    ],
)
def test_fr48_retry_after_is_read_as_a_number_or_a_date_and_rubbish_is_none(value: str, seconds: float | None) -> None:
    assert retry_after(Headers({"Retry-After": value} if value else {}), NOW) == seconds
