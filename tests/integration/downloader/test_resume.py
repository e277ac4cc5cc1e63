"""A body that breaks off: resumed to the byte where its version is certain, and never put together wrongly."""

import gzip
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from threading import Event, Timer

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.downloader.transfer import Limits, Received
from shared.egress import Policy
from shared.errors import Failure, LeaseLost, Stopping
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, head, in_turn, raw, redirect
from tests.faults.canary import CANARY, check_silent
from tests.faults.server import FaultServer, Line, Script
from tests.faults.sinks import MemorySink
from tests.integration.downloader.acts import VIDEO, Act
from tests.integration.downloader.parts import KEPT, SIZE, TAG, asked_start, broken, honest, part

DIGEST = sha256(VIDEO).hexdigest()
CHANGED = "Sun, 01 Mar 2026 12:00:00 GMT"


def dated(seconds: float) -> str:
    """A Date field so long after the date of the last change."""
    moment = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(seconds=seconds)
    return f"Date: {format_datetime(moment, usegmt=True)}"


def received(*scripts: Script, **more: object) -> tuple[Received, FaultServer]:
    """One transfer over as many connections as there are scripts; its bytes are those of the video."""
    act, sink = Act(answer(), **more), MemorySink()  # type: ignore[arg-type]
    with FaultServer(in_turn(*scripts)) as server:
        got = act.run(server, sink)
    assert (sink.completed, sink.aborts, server.connections) == (True, 0, len(scripts))
    assert bytes(sink.data) == VIDEO
    assert (got.size, got.sha256) == (SIZE, DIGEST)
    return got, server


def failed(*scripts: Script, **more: object) -> tuple[Failure, MemorySink, int]:
    """One transfer that fails: its sink was aborted, and holds nothing but a beginning of the video."""
    act, sink = Act(answer(), **more), MemorySink()  # type: ignore[arg-type]
    with FaultServer(in_turn(*scripts)) as server, pytest.raises(Failure) as failure:
        act.run(server, sink)
    assert (sink.completed, sink.aborts) == (False, 1)
    assert VIDEO.startswith(bytes(sink.data))
    check_silent(failure.value)
    return failure.value, sink, server.connections


# --- the rest is taken


@pytest.mark.parametrize("how", ["end", "reset", "silence"])
def test_case_48_a_body_that_breaks_off_is_resumed_from_its_last_byte(how: str) -> None:
    got, server = received(broken(TAG, how=how), honest())
    assert (got.evidence["resumes"], got.evidence["wire_bytes"], got.proven_by) == (1, SIZE, "length")
    first, second = server.requests
    assert "range" not in first.headers
    assert second.headers["if-range"] == '"v1"'
    assert how == "reset" or second.headers["range"] == f"bytes={KEPT}-"
    assert (second.method, second.target, second.headers["accept-encoding"]) == ("GET", first.target, "identity")


def test_fr29_a_body_that_drips_is_resumed_over_another_connection() -> None:
    def drips(line: Line) -> None:
        line.send(head(200, f"Content-Length: {SIZE}", TAG), VIDEO[:1000])
        line.drip(VIDEO[1000:], every=0.05, size=10)

    assert received(drips, honest())[0].evidence["resumes"] == 1


@pytest.mark.parametrize("seconds", [60, 86_400])
def test_a_settled_date_resumes_where_there_is_no_tag(seconds: float) -> None:
    fields = f"Last-Modified: {CHANGED}", dated(seconds)
    _, server = received(broken(*fields), honest(*fields))
    assert server.requests[1].headers["if-range"] == CHANGED


def test_a_tag_goes_before_a_date() -> None:
    fields = TAG, f"Last-Modified: {CHANGED}", dated(3600)
    _, server = received(broken(*fields), honest(TAG))
    assert server.requests[1].headers["if-range"] == '"v1"'


def test_case_49_a_short_part_is_continued_from_its_real_end() -> None:
    got, server = received(broken(TAG), part(KEPT, stop=500_000), honest())
    assert got.evidence["resumes"] == 2
    assert server.requests[2].headers["range"] == "bytes=500000-"


def test_a_part_that_breaks_off_is_continued_from_its_real_end() -> None:
    def breaks(line: Line) -> None:
        said = f"Content-Range: bytes {KEPT}-{SIZE - 1}/{SIZE}"
        line.send(head(206, f"Content-Length: {SIZE - KEPT}", said, TAG), VIDEO[KEPT:500_000])

    _, server = received(broken(TAG), breaks, honest())
    assert server.requests[2].headers["range"] == "bytes=500000-"


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_part_without_a_length_is_held_to_its_range(version: str) -> None:
    fields = f"Content-Range: bytes {KEPT}-{SIZE - 1}/{SIZE}", TAG
    received(broken(TAG), raw(head(206, *fields, version=version), VIDEO[KEPT:]))
    chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (SIZE - KEPT, VIDEO[KEPT:])
    received(broken(TAG), raw(head(206, "Transfer-Encoding: chunked", *fields), chunk))


def test_the_first_connection_is_closed_before_the_second_is_made() -> None:
    gone = Event()

    def drips(line: Line) -> None:
        line.send(head(200, f"Content-Length: {SIZE}", TAG), VIDEO[:KEPT])
        line.hold()
        gone.set()

    def waits(line: Line) -> None:
        assert gone.wait(5)
        honest()(line)

    with FaultServer(in_turn(drips, waits)) as server:
        patient = Policy(http=True, idle_seconds=1.0)
        assert Act(answer(), policy=patient).run(server, MemorySink()).sha256 == DIGEST


def test_progress_goes_on_over_a_resume() -> None:
    counts: list[int] = []
    with FaultServer(in_turn(broken(TAG), honest())) as server:
        Act(answer()).run(server, MemorySink(), progress=counts.append)
    assert counts == sorted(set(counts))
    assert KEPT in counts
    assert counts[-1] == SIZE


def test_fr12_a_resume_goes_through_the_redirect_again_and_its_credential_stays_behind() -> None:
    with FaultServer(in_turn(broken(TAG), honest())) as storage:
        api = redirect(storage.url("/o?sig=1"))
        act = Act(answer(), credential={"Authorization": f"Bearer {CANARY}"}, others=(storage,))
        with FaultServer(api) as server:
            assert act.run(server, MemorySink()).sha256 == DIGEST
        assert server.connections == storage.connections == 2
    assert all("authorization" in request.headers for request in server.requests)
    assert all("authorization" not in request.headers for request in storage.requests)
    assert storage.requests[1].headers["range"] == f"bytes={KEPT}-"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, SIZE - 1), min_size=1, max_size=3, unique=True))
def test_wherever_a_body_breaks_off_the_bytes_are_the_same(ends: list[int]) -> None:
    stops = [*sorted(ends), SIZE]

    def lead(line: Line) -> None:
        start = asked_start(line) if "range" in line.request.headers else 0
        said = [f"Content-Range: bytes {start}-{SIZE - 1}/{SIZE}"] if start else []
        status = 206 if start else 200
        line.send(head(status, f"Content-Length: {SIZE - start}", TAG, *said), VIDEO[start : stops[line.number]])

    with FaultServer(lead) as server:
        got = Act(answer()).run(server, MemorySink())
    assert (got.sha256, got.evidence["resumes"]) == (DIGEST, len(ends))


# --- no resume is asked for


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ['ETag: W/"v1"'],
        ["ETag: v1"],
        ['ETag: "v1'],
        ['ETag: "v 1"'],
        ['ETag: "v\xe9"'],
        ['ETag: "v1"', 'ETag: "v1"'],
        [f"Last-Modified: {CHANGED}"],
        [f"Last-Modified: {CHANGED}", dated(59)],
        [f"Last-Modified: {CHANGED}", dated(-3600)],
        [f"Last-Modified: {CHANGED}", f"Last-Modified: {CHANGED}", dated(3600)],
        ["Last-Modified: Sun, 01 Mar 2026 12:00:00 +0100", dated(3600)],
        [f"Last-Modified: {CHANGED} (\xe9)", dated(3600)],
        ['ETag: W/"v1"', f"Last-Modified: {CHANGED}", dated(3600)],
        [TAG, "Accept-Ranges: none"],
    ],
)
def test_case_51_without_a_strong_validator_there_is_no_resume(fields: list[str]) -> None:
    failure, sink, connections = failed(broken(*fields), honest(*fields))
    assert (failure.reason, connections, len(sink.data)) == (Reason.TRUNCATED, 1, KEPT)
    assert "resumes" not in failure.evidence


def test_without_a_total_length_there_is_no_resume() -> None:
    failure, _, connections = failed(chunked(VIDEO[:KEPT], fields=[TAG], last=b""), honest())
    assert (failure.reason, connections) == (Reason.TRUNCATED, 1)


def test_fr26_a_coded_body_is_not_resumed() -> None:
    body = gzip.compress(VIDEO)
    fields = TAG, "Content-Encoding: gzip"
    failure, _, connections = failed(broken(*fields, body=body, kept=len(body) // 2), honest(*fields, body=body))
    assert (failure.reason, connections) == (Reason.TRUNCATED, 1)


def test_a_body_that_broke_off_before_its_first_byte_is_not_resumed() -> None:
    assert failed(broken(TAG, kept=0), honest())[2] == 1


def test_case_53_after_the_known_end_of_the_link_there_is_no_resume() -> None:
    assert failed(broken(TAG), honest(), expires_in=-1.0)[2] == 1
    assert failed(broken(TAG), honest(), deleted_in=-1.0)[2] == 1
    received(broken(TAG), honest(), expires_in=None)
    received(broken(TAG), honest(), expires_in=60.0, deleted_in=60.0)


def test_case_53_the_end_is_judged_by_the_clock_of_the_source() -> None:
    ahead = f"Date: {format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)}"
    assert failed(broken(TAG, ahead), honest(), expires_in=3600.0)[2] == 1


def test_past_the_total_deadline_there_is_no_resume() -> None:
    patient = Policy(http=True, idle_seconds=30.0)
    for more in ({"seconds": 0.5}, {"limits": Limits(total_seconds=0.5, resume_pause_seconds=0.0)}):
        began = time.monotonic()
        failure, _, connections = failed(broken(TAG, how="silence"), honest(), policy=patient, **more)
        assert (failure.reason, connections) == (Reason.STALLED, 1)
        assert "resumes" not in failure.evidence
        assert 0.4 < time.monotonic() - began < 3.0


def test_a_body_that_is_longer_than_it_said_is_not_resumed() -> None:
    failure, _, connections = failed(answer(VIDEO, TAG, length=1000), honest())
    assert (failure.reason, connections) == (Reason.PROTOCOL_VIOLATION, 1)


# --- what comes instead of the rest is refused


def ranged(said: str, *fields: str) -> Script:
    return answer(VIDEO[KEPT:], f"Content-Range: {said}", *(fields or (TAG,)), status=206)


REST = f"bytes {KEPT}-{SIZE - 1}/{SIZE}"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (answer(VIDEO, TAG), "status 200"),
        (answer(VIDEO, TAG, "Accept-Ranges: bytes"), "status 200"),
        (answer(VIDEO, 'ETag: "v2"'), "status 200"),
        (answer(VIDEO[KEPT:], TAG, f"Content-Range: {REST}"), "status 200"),
        (part(KEPT - 512), "content_range"),
        (part(0), "content_range"),
        (part(KEPT + 1), "content_range"),
        (part(total=SIZE + 1), "content_range"),
        (part(total="*"), "content_range"),
        (answer(VIDEO[KEPT:], TAG, status=206), "content_range"),
        (answer(VIDEO, TAG, status=206), "content_range"),
        (answer(b"", TAG, status=206), "content_range"),
        (ranged(f"bytes {KEPT}-{SIZE}/{SIZE}"), "content_range"),
        (ranged(f"bytes {KEPT}-{KEPT - 1}/{SIZE}"), "content_range"),
        (ranged(f"bytes={KEPT}-{SIZE - 1}/{SIZE}"), "content_range"),
        (ranged(f"items {KEPT}-{SIZE - 1}/{SIZE}"), "content_range"),
        (ranged(REST, f"Content-Range: {REST}", TAG), "content_range"),
        (ranged(f"bytes */{SIZE}"), "content_range"),
        (ranged(REST, TAG, "Content-Type: multipart/byteranges; boundary=x"), "multipart"),
        (ranged(REST, 'ETag: "v2"'), "validator"),
        (ranged(REST, 'ETag: W/"v1"'), "validator"),
        (ranged(REST, "X-No-Tag: 1"), "validator"),
        (ranged(REST, f"Last-Modified: {CHANGED}", dated(3600)), "validator"),
        (ranged(REST, TAG, "Content-Encoding: gzip"), "content_coding"),
        (ranged(f"bytes {KEPT}-{SIZE - 2}/{SIZE}"), "content_length"),
        (answer(b"", f"Content-Range: bytes */{SIZE}", status=416), "status 416"),
        (answer(b"<Error><Code>SignatureDoesNotMatch</Code></Error>", status=403), "status 403"),
        (answer(status=404), "status 404"),
        (answer(status=503), "status 503"),
        (redirect("http://169.254.169.254/latest/"), "blocked_address"),
        (redirect("ftp://example.org/"), "redirect_refused"),
        (raw(b"no HTTP at all\r\n\r\n"), "protocol_violation"),
        (raw(), "source_unavailable"),
    ],
)
def test_fr26_fr27_and_cases_48_to_50_anything_but_the_rest_starts_the_transfer_again(script: Script, why: str) -> None:
    failure, sink, connections = failed(broken(TAG), script)
    assert (failure.reason, failure.evidence["resume_refused"]) == (Reason.TRUNCATED, why)
    assert (failure.evidence["resumes"], connections, len(sink.data)) == (1, 2, KEPT)
    assert failure.evidence["status"] == 200


def test_fr26_after_a_refused_rest_the_next_transfer_gives_the_bytes_of_one_version() -> None:
    newer = VIDEO[:-1] + b"\xff"
    act, first, second = Act(answer()), MemorySink(), MemorySink()
    with FaultServer(in_turn(broken(TAG), answer(newer, 'ETag: "v2"'))) as server:
        with pytest.raises(Failure):
            act.run(server, first)
        assert act.run(server, second).sha256 == sha256(newer).hexdigest()
        assert "range" not in server.requests[2].headers
    assert bytes(second.data) == newer


def test_a_part_longer_than_its_range_is_refused_at_the_first_byte_too_many() -> None:
    said = f"Content-Range: bytes {KEPT}-{KEPT + 99}/{SIZE}"
    too_long = raw(head(206, said, TAG, version="1.0"), VIDEO[KEPT:])
    failure, sink, _ = failed(broken(TAG), too_long)
    assert (failure.reason, failure.evidence["resume_refused"]) == (Reason.TRUNCATED, "protocol_violation")
    assert len(sink.data) <= KEPT + 100


def test_case_50_other_bytes_under_the_same_tag_are_caught_by_the_declared_digest() -> None:
    other = VIDEO[:KEPT] + bytes(SIZE - KEPT)
    sink = MemorySink()
    with FaultServer(in_turn(broken(TAG), honest(body=other))) as server, pytest.raises(Failure) as failure:
        Act(answer(), declared_sha256=DIGEST).run(server, sink)
    assert failure.value.reason is Reason.DECLARED_MISMATCH
    assert (sink.completed, sink.aborts) == (False, 1)


# --- how often


def test_a_body_is_resumed_three_times_and_no_more() -> None:
    def a_little(line: Line) -> None:
        start = asked_start(line)
        said = f"Content-Range: bytes {start}-{SIZE - 1}/{SIZE}"
        line.send(head(206, f"Content-Length: {SIZE - start}", said, TAG), VIDEO[start : start + 10])

    failure, sink, connections = failed(broken(TAG), a_little)
    assert (failure.reason, failure.evidence["resumes"], connections) == (Reason.TRUNCATED, 3, 4)
    assert len(sink.data) == KEPT + 30


def test_a_resume_that_brings_no_byte_is_the_last() -> None:
    said = f"Content-Range: {REST}"
    nothing = raw(head(206, f"Content-Length: {SIZE - KEPT}", said, TAG))
    failure, _, connections = failed(broken(TAG), nothing, honest())
    assert (failure.reason, connections) == (Reason.TRUNCATED, 2)


# --- the end of the lease and of the process


def test_the_wish_to_stop_ends_the_pause_before_a_resume() -> None:
    stop, sink = Event(), MemorySink()
    act = Act(answer(), limits=Limits(resume_pause_seconds=30.0))
    with FaultServer(in_turn(broken(TAG), honest())) as server:
        timer = Timer(0.2, stop.set)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopping):
            act.run(server, sink, seconds_to_stop=lambda: 0.0 if stop.is_set() else None)
        timer.join()
        assert server.connections == 1
    assert time.monotonic() - began < 3.0
    assert sink.aborts == 1


def test_a_lost_lease_ends_a_resumed_transfer() -> None:
    def lost(count: int) -> None:
        if count > KEPT:
            raise LeaseLost

    sink = MemorySink()
    with FaultServer(in_turn(broken(TAG), honest())) as server, pytest.raises(LeaseLost):
        Act(answer()).run(server, sink, progress=lost)
    assert (sink.completed, sink.aborts) == (False, 1)
