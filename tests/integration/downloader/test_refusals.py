"""Answers that are not the output: their reason, and the evidence that is kept of them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.answers import answer, head, redirect
from tests.faults.canary import CANARY
from tests.faults.server import FaultServer, Line, Script
from tests.integration.downloader.acts import Act

EXPIRED = (
    b"<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message>"
    b"<Expires>2026-03-01T11:00:00Z</Expires><ServerTime>2026-03-01T12:00:00Z</ServerTime></Error>"
)
MISMATCH = b"<Error><Code>SignatureDoesNotMatch</Code></Error>"


def refused(script: Script, **more: object) -> Failure:
    return Act(script, **more).failed()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (403, EXPIRED, Reason.URL_EXPIRED),
        (403, MISMATCH, Reason.URL_REFUSED),
        (403, b"", Reason.URL_REFUSED),
        (400, b"<Error><Code>ExpiredToken</Code></Error>", Reason.URL_EXPIRED),
        (404, b"<Error><Code>NoSuchKey</Code></Error>", Reason.SOURCE_GONE),
        (404, b"no longer available", Reason.SOURCE_GONE),
        (410, b"", Reason.SOURCE_GONE),
        (500, b"", Reason.SOURCE_UNAVAILABLE),
        (503, b"<Error><Code>SlowDown</Code></Error>", Reason.RATE_LIMITED),
    ],
)
def test_fr04_the_same_status_means_what_the_body_says(status: int, body: bytes, reason: Reason) -> None:
    assert refused(answer(body, status=status)).reason is reason


def test_fr04_a_403_after_the_known_end_is_an_expiry() -> None:
    assert refused(answer(status=403), expires_in=-1.0).reason is Reason.URL_EXPIRED
    assert refused(answer(status=403), expires_in=None).reason is Reason.URL_REFUSED


def test_fr04_the_end_is_judged_by_the_clock_of_the_source() -> None:
    ahead = f"Date: {format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)}"
    behind = f"Date: {format_datetime(datetime.now(UTC) - timedelta(hours=2), usegmt=True)}"
    late = refused(answer(b"", ahead, status=403), expires_in=3600.0)
    assert late.reason is Reason.URL_EXPIRED
    assert late.evidence["clock_offset"] == pytest.approx(7200, abs=5)
    assert refused(answer(b"", behind, status=403), expires_in=-60.0).reason is Reason.URL_REFUSED


def test_fr01_a_404_after_the_retention_of_the_provider_is_a_source_gone() -> None:
    assert refused(answer(b"gone", status=404), expires_in=-30.0, ready_ago=90.0).reason is Reason.SOURCE_GONE


def test_fr48_a_404_within_30_seconds_of_ready_is_early() -> None:
    assert refused(answer(status=404), ready_ago=5.0).reason is Reason.EARLY_NOT_FOUND
    assert refused(answer(status=404), ready_ago=31.0).reason is Reason.SOURCE_GONE


def test_fr13_a_refusal_by_the_origin_that_got_our_key_is_a_refused_credential() -> None:
    key = {"Authorization": f"Bearer {CANARY}"}
    for status in (401, 403):
        assert refused(answer(status=status), credential=key).reason is Reason.CREDENTIAL_REFUSED


def test_fr13_a_refusal_by_storage_after_a_redirect_is_not_the_credential_s_fault() -> None:
    with FaultServer(answer(EXPIRED, status=403)) as storage:
        failure = refused(redirect(storage.url("/o")), credential={"Authorization": "k"}, others=(storage,))
    assert failure.reason is Reason.URL_EXPIRED


@pytest.mark.parametrize(
    ("value", "seconds"), [("120", 120.0), ("21600", 21600.0), ("soon", None), ("Sun, 01 Mar 2020 12:00:00 GMT", 0.0)]
)
@pytest.mark.parametrize(("status", "reason"), [(429, Reason.RATE_LIMITED), (503, Reason.SOURCE_UNAVAILABLE)])
def test_fr48_and_case_55_retry_after_is_passed_on(
    status: int, reason: Reason, value: str, seconds: float | None
) -> None:
    failure = refused(answer(b"", f"Retry-After: {value}", status=status))
    assert (failure.reason, failure.retry_after) == (reason, seconds)


@pytest.mark.parametrize("status", [203, 206, 300, 304, 305])
def test_a_status_that_makes_no_sense_here_is_a_protocol_violation(status: int) -> None:
    assert refused(answer(b"x", status=status)).reason is Reason.PROTOCOL_VIOLATION


def test_a_202_is_an_output_that_is_not_there_yet() -> None:
    assert refused(answer(b"{}", status=202)).reason is Reason.EARLY_NOT_FOUND


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"error": {"message": "quota"}}', Reason.ERROR_BODY),
        (b'\xef\xbb\xbf  \n{"error": 1}', Reason.ERROR_BODY),
        (EXPIRED, Reason.URL_EXPIRED),
        (b"  " + MISMATCH, Reason.URL_REFUSED),
        (b"<Error><Code>AccessDenied</Code></Error>", Reason.URL_REFUSED),
        (b"<Error><Code>SomethingElse</Code></Error>", Reason.ERROR_BODY),
    ],
)
@pytest.mark.parametrize("kind", ["image/png", "application/json"])
def test_fr31_an_error_under_a_200_is_never_stored(body: bytes, reason: Reason, kind: str) -> None:
    failure = refused(answer(body, f"Content-Type: {kind}"))
    assert failure.reason is reason
    assert failure.evidence["body"]


@pytest.mark.parametrize("kind", ["text/html", "video/mp4"])
def test_fr32_an_html_page_under_a_200_is_an_error_body(kind: str) -> None:
    page = b"<!doctype html><html><title>Log in</title>" + b"<p>Please wait. Your session has expired." * 1000
    failure = refused(answer(page, f"Content-Type: {kind}"))
    assert failure.reason is Reason.ERROR_BODY
    assert "Log in" in str(failure.evidence["body"])


def test_an_error_page_that_drips_in_is_seen_too() -> None:
    def drips(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(EXPIRED)}"))
        line.drip(EXPIRED, every=0.001, size=20)

    assert refused(drips).reason is Reason.URL_EXPIRED


# --- evidence


def test_the_evidence_of_a_refusal_says_what_was_seen() -> None:
    failure = refused(answer(EXPIRED, "Content-Type: application/xml", "Server: AmazonS3", "X-Secret: s", status=403))
    evidence = failure.evidence
    assert evidence["status"] == 403
    assert evidence["headers"] == {
        "content-type": "application/xml",
        "content-length": str(len(EXPIRED)),
        "server": "AmazonS3",
    }
    assert "Code: AccessDenied" in str(evidence["body"])
    assert "Request has expired" in str(evidence["body"])
    hops = evidence["hops"]
    assert isinstance(hops, list)
    assert (hops[0]["host"], len(hops[0]["path_sha256"]), hops[0]["status"]) == ("127.0.0.1", 64, 403)
    assert isinstance(evidence["seconds"], float)


@pytest.mark.parametrize(
    "echo",
    [
        "cannot open {url}",
        "cannot open {target}",
        "bad {query}",
        '{{"url":"{url}","path":"{path}"}}',
        "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>GET\n{path}\n{query}</StringToSign></Error>",
        "<html><a href='{url}'>here</a><p>{path}",
        "key {key} is not known",
        "Authorization: Bearer {key}",
    ],
)
@pytest.mark.parametrize("status", [403, 200])
def test_case_109_a_source_that_echoes_the_link_or_the_key_puts_neither_into_the_evidence(
    echo: str, status: int
) -> None:
    key = f"{CANARY}key"

    def echoes(line: Line) -> None:
        target = line.request.target
        path, _, query = target.partition("?")
        url = f"http://{line.request.headers['host']}{target}"
        text = echo.format(url=url, target=target, path=path, query=query, key=key)
        fields = [f"Content-Type: {path}", f"Server: {query}"]
        answer(text.encode(), *fields, status=status)(line)

    act = Act(echoes, credential={"Authorization": f"Bearer {key}"})
    if status == 403 or echo.startswith(("<", "{")):
        assert act.failed().reason
    else:
        act.received()


def test_case_99_text_in_fields_stays_bounded_and_on_one_line() -> None:
    failure = refused(answer(b"x", "Content-Type: a\r\n\tb\xe4" + "c" * 5000, "Server: x\x1b[31m", status=500))
    headers = failure.evidence["headers"]
    assert isinstance(headers, dict)
    assert all(len(value) <= 100 and value.isprintable() and value.isascii() for value in headers.values())


@pytest.mark.parametrize(
    "token", ["eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3N30.c2lnbmF0dXJl", "AKIAIOSFODNN7EXAMPLE1234567", "a" * 40]
)
def test_what_looks_like_a_token_is_cut_from_an_error_body(token: str) -> None:
    failure = refused(answer(f"no such key {token} here".encode(), status=404))
    assert token not in str(failure.evidence["body"])
    assert "no such key" in str(failure.evidence["body"])


def test_an_error_body_that_never_ends_or_breaks_does_not_hide_its_status() -> None:
    def hangs(line: Line) -> None:
        line.send(head(403, "Content-Length: 1000"), EXPIRED)
        line.hold()

    def endless(line: Line) -> None:
        line.send(head(403, version="1.0"))
        line.endless(EXPIRED)

    assert refused(hangs).reason is Reason.URL_EXPIRED
    assert refused(endless).reason is Reason.URL_EXPIRED
    assert refused(answer(EXPIRED, "Content-Encoding: br", status=403)).reason is Reason.URL_REFUSED
    assert len(str(refused(endless).evidence["body"])) <= 1024
