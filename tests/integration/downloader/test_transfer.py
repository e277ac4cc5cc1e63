"""The transfer: the bytes right, or a failure that says what went wrong and leaves nothing behind."""

import gzip
import time
import zlib
from hashlib import sha256
from threading import Event, Timer

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.downloader.transfer import Limits
from shared.errors import Failure, LeaseLost, Stopping
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, chunks, closing, head, in_turn, raw, redirect, routes
from tests.faults.canary import CANARY
from tests.faults.server import FaultServer, Line, Script
from tests.faults.sinks import CountingSink, MemorySink
from tests.integration.downloader.acts import VIDEO, Act

DIGEST = sha256(VIDEO).hexdigest()
GZIP = gzip.compress(VIDEO)


def cut(kept: int, how: str) -> Script:
    def lead(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(VIDEO)}"), VIDEO[:kept])
        if how == "reset":
            line.reset()

    return lead


# --- what arrives


@pytest.mark.parametrize("script", [answer(VIDEO), chunked(VIDEO[:70_000], VIDEO[70_000:])])
def test_a_body_of_proven_length_is_received_counted_and_hashed(script: Script) -> None:
    received, sink = Act(script).received()
    assert bytes(sink.data) == VIDEO
    assert (received.size, received.sha256, received.length_proven) == (len(VIDEO), DIGEST, True)
    assert received.upload.size == len(VIDEO)
    evidence = received.evidence
    assert (evidence["status"], evidence["wire_bytes"], evidence["stored_bytes"]) == (200, len(VIDEO), len(VIDEO))
    assert sink.largest_write <= 2**20


def test_fr15_the_transfer_is_one_get_and_asks_for_no_range() -> None:
    def only_get(line: Line) -> None:
        script = answer(VIDEO) if line.request.method == "GET" else answer(status=403)
        script(line)

    with FaultServer(only_get) as server:
        Act(only_get).run(server, MemorySink())
        assert [request.method for request in server.requests] == ["GET"]
        assert "range" not in server.requests[0].headers
        assert server.requests[0].headers["accept-encoding"] == "identity"


def test_case_46_a_body_that_ends_by_close_is_received_but_its_length_is_not_proven() -> None:
    received, _ = Act(closing(VIDEO)).received()
    assert (received.sha256, received.length_proven, received.evidence["length_proven"]) == (DIGEST, False, False)
    assert received.evidence["framing"] == "close"


def test_a_declared_size_or_digest_proves_a_body_that_ends_by_close() -> None:
    assert Act(closing(VIDEO), declared_size=len(VIDEO)).received()[0].length_proven
    assert Act(closing(VIDEO), declared_sha256=DIGEST).received()[0].length_proven


def test_fr20_a_body_that_ends_by_close_before_its_declared_size_is_truncated() -> None:
    assert Act(closing(VIDEO[:-1]), declared_size=len(VIDEO)).failed().reason is Reason.TRUNCATED


@pytest.mark.parametrize(
    "fields",
    [
        ["Content-Type: application/octet-stream"],
        ["Content-Type: image/png", "Content-Type: text/html"],
        ["Content-Type:"],
        ["Content-Disposition: attachment; filename=../../etc/x", "Content-Disposition: inline"],
        ["X-Goog-Stored-Content-Encoding: gzip", "X-Goog-Hash: md5=AAAA", "Warning: 214 UploadServer gunzipped"],
        ["Content-Encoding: identity"],
    ],
)
def test_fr18_fr22_fr33_odd_fields_change_nothing_about_the_bytes(fields: list[str]) -> None:
    assert Act(answer(VIDEO, *fields)).received()[0].sha256 == DIGEST


def test_a_redirect_to_storage_is_followed_without_the_credential() -> None:
    def storage_script(line: Line) -> None:
        assert "authorization" not in line.request.headers
        answer(VIDEO)(line)

    with FaultServer(storage_script) as storage:
        act = Act(redirect(storage.url("/o?sig=1")), credential={"Authorization": "Bearer k"}, others=(storage,))
        received, _ = act.received()
    hops = received.evidence["hops"]
    assert isinstance(hops, list)
    assert [hop["status"] for hop in hops] == [302, 200]


# --- lengths that lie


@pytest.mark.parametrize("how", ["end", "reset"])
@pytest.mark.parametrize("kept", [0, 100, 600_000, len(VIDEO) - 1])
def test_fr19_and_case_44_a_body_shorter_than_its_length_is_truncated(kept: int, how: str) -> None:
    failure = Act(cut(kept, how)).failed()
    assert failure.reason is Reason.TRUNCATED or (how == "reset" and failure.reason is Reason.SOURCE_UNAVAILABLE)
    assert how == "reset" or failure.evidence["wire_bytes"] == kept


def test_fr20_and_case_45_a_chunked_body_without_its_last_chunk_is_truncated() -> None:
    failure = Act(chunked(VIDEO[:1000], VIDEO[1000:2000], VIDEO[2000:], last=b"")).failed()
    assert (failure.reason, failure.evidence["wire_bytes"]) == (Reason.TRUNCATED, len(VIDEO))


def test_a_body_that_ends_by_close_with_a_reset_is_truncated() -> None:
    def resets(line: Line) -> None:
        line.send(head(200, version="1.0"), VIDEO)
        line.reset()

    assert Act(resets).failed().reason in (Reason.TRUNCATED, Reason.SOURCE_UNAVAILABLE)


@pytest.mark.parametrize(
    "fields",
    [
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: -1"],
        ["Content-Length: many"],
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: gzip, chunked"],
    ],
)
def test_conflicting_and_broken_lengths_are_a_protocol_violation(fields: list[str]) -> None:
    assert Act(raw(head(200, *fields), VIDEO)).failed().reason is Reason.PROTOCOL_VIOLATION


def test_a_body_longer_than_its_length_is_a_protocol_violation() -> None:
    assert Act(answer(VIDEO, length=1000)).failed().reason is Reason.PROTOCOL_VIOLATION


def test_fr30_a_truncation_is_never_reported_as_something_else() -> None:
    failure = Act(cut(600_000, "end"), declared_size=len(VIDEO), declared_sha256=DIGEST).failed()
    assert str(failure.reason) == "truncated"


# --- empty, partial, too large


@pytest.mark.parametrize(
    "script", [answer(b""), chunked(), closing(b""), raw(head(204)), answer(b"", "Content-Encoding: gzip")]
)
def test_fr25_nothing_is_an_empty_body(script: Script) -> None:
    assert Act(script).failed().reason is Reason.EMPTY_BODY


def test_fr25_one_byte_is_received_for_the_verifier_to_judge() -> None:
    assert Act(answer(b"\x00")).received()[0].size == 1


@pytest.mark.parametrize(
    "script",
    [
        answer(VIDEO, f"Content-Range: bytes 0-{len(VIDEO) - 1}/{len(VIDEO)}", status=206),
        answer(b"", status=206),
        answer(VIDEO, "Content-Range: bytes 1000-5000/9000"),
        answer(VIDEO, "Content-Type: multipart/byteranges; boundary=x", status=206),
    ],
)
def test_fr27_and_case_49_a_part_that_nobody_asked_for_is_refused(script: Script) -> None:
    assert Act(script).failed().reason is Reason.PROTOCOL_VIOLATION


def test_fr74_exactly_the_limit_is_received_and_one_more_byte_is_too_large() -> None:
    for script in (answer(VIDEO), chunked(VIDEO), closing(VIDEO)):
        assert Act(script, max_bytes=len(VIDEO)).received()[0].size == len(VIDEO)
        assert Act(script, max_bytes=len(VIDEO) - 1).failed().reason is Reason.TOO_LARGE


def test_fr74_a_length_above_the_limit_is_refused_before_any_byte_is_read() -> None:
    sink = MemorySink()
    failure = Act(raw(head(200, f"Content-Length: {10 * 2**40}")), max_bytes=2**30).failed(sink)
    assert (failure.reason, failure.evidence["announced_bytes"]) == (Reason.TOO_LARGE, 10 * 2**40)
    assert not sink.data


@pytest.mark.parametrize("coding", ["chunked", "close"])
def test_fr74_and_case_58_an_endless_body_stops_at_the_limit(coding: str) -> None:
    def endless(line: Line) -> None:
        if coding == "close":
            line.send(head(200, version="1.0"))
        else:
            line.send(head(200, "Transfer-Encoding: chunked"))
        line.endless(bytes(65536) if coding == "close" else chunks([bytes(65536)]))

    sink = CountingSink()
    assert Act(endless, max_bytes=10 * 2**20).failed(sink).reason is Reason.TOO_LARGE
    assert 9 * 2**20 < sink.size <= 10 * 2**20


# --- codings that nobody asked for


@pytest.mark.parametrize(
    ("coding", "body"), [("gzip", GZIP), ("x-gzip", GZIP), ("deflate", zlib.compress(VIDEO)), ("GZIP", GZIP)]
)
def test_a_coded_body_is_stored_decoded_and_both_counts_are_kept(coding: str, body: bytes) -> None:
    received, sink = Act(answer(body, f"Content-Encoding: {coding}")).received()
    assert bytes(sink.data) == VIDEO
    assert (received.evidence["wire_bytes"], received.evidence["stored_bytes"]) == (len(body), len(VIDEO))
    assert received.evidence["coding"] == coding.lower().removeprefix("x-")


def test_the_end_of_a_coding_proves_a_body_that_ends_by_close() -> None:
    assert Act(closing(GZIP, "Content-Encoding: gzip")).received()[0].length_proven
    assert Act(closing(GZIP[:-1], "Content-Encoding: gzip")).failed().reason is Reason.TRUNCATED


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "unknown"])
def test_a_coding_that_cannot_be_undone_is_a_protocol_violation(coding: str) -> None:
    assert Act(answer(GZIP, f"Content-Encoding: {coding}")).failed().reason is Reason.PROTOCOL_VIOLATION


def test_case_59_a_gzip_bomb_is_stopped_early_by_the_limit_and_by_the_ratio() -> None:
    bomb = gzip.compress(bytes(64 * 2**20), 9)
    for act in (
        Act(answer(bomb, "Content-Encoding: gzip")),
        Act(answer(bomb, "Content-Encoding: gzip"), max_bytes=2**20),
    ):
        sink = MemorySink()
        assert act.failed(sink).reason is Reason.TOO_LARGE
        assert len(sink.data) <= 16 * 2**20


# --- what the event declared


def test_a_declared_size_and_digest_that_match_are_accepted() -> None:
    assert Act(answer(VIDEO), declared_size=len(VIDEO), declared_sha256=DIGEST).received()[0].size == len(VIDEO)


def test_another_size_than_declared_is_a_size_mismatch() -> None:
    assert Act(answer(VIDEO), declared_size=len(VIDEO) + 1).failed().reason is Reason.SIZE_MISMATCH
    assert Act(chunked(VIDEO), declared_size=len(VIDEO) - 1).failed().reason is Reason.SIZE_MISMATCH
    assert Act(chunked(VIDEO), declared_size=len(VIDEO) + 1).failed().reason is Reason.SIZE_MISMATCH


def test_another_digest_than_declared_is_a_declared_mismatch() -> None:
    failure = Act(answer(VIDEO), declared_sha256="0" * 64).failed()
    assert (failure.reason, failure.evidence["sha256"]) == (Reason.DECLARED_MISMATCH, DIGEST)


def test_fr22_a_declaration_of_the_coded_bytes_is_accepted_too() -> None:
    coded = sha256(GZIP).hexdigest()
    act = Act(answer(GZIP, "Content-Encoding: gzip"), declared_size=len(GZIP), declared_sha256=coded)
    assert act.received()[0].sha256 == DIGEST
    assert (
        Act(answer(GZIP, "Content-Encoding: gzip"), declared_sha256="0" * 64).failed().reason
        is Reason.DECLARED_MISMATCH
    )


# --- time


def test_fr29_and_case_57_a_body_that_drips_is_stalled_by_its_rate() -> None:
    def drips(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(VIDEO)}"))
        line.drip(VIDEO, every=0.05, size=10)

    began = time.monotonic()
    failure = Act(drips).failed()
    assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "body")
    assert time.monotonic() - began < 3.0


def test_fr29_a_body_that_stops_at_99_percent_is_stalled_by_its_silence() -> None:
    def stops(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(VIDEO)}"), VIDEO[:-100])
        line.hold()

    assert Act(stops).failed().reason is Reason.STALLED


def test_case_57_a_head_that_drips_is_stalled() -> None:
    failure = Act(lambda line: line.drip(head(200, "X: " + "y" * 1000), every=0.1)).failed()
    assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "head")


@pytest.mark.parametrize("by", ["order", "limits"])
def test_a_steady_body_ends_at_the_total_deadline(by: str) -> None:
    def steady(line: Line) -> None:
        line.send(head(200, "Transfer-Encoding: chunked"))
        while True:
            line.drip(chunks([bytes(65536)]), every=0.02, size=10**6)

    seconds = {"seconds": 0.7} if by == "order" else {"limits": Limits(total_seconds=0.7, pace_seconds=0.5)}
    began = time.monotonic()
    assert Act(steady, **seconds).failed().reason is Reason.STALLED
    assert 0.6 < time.monotonic() - began < 3.0


def test_a_slow_store_is_no_stall_of_the_source() -> None:
    class SlowSink(MemorySink):
        def write(self, data: bytes | memoryview, /) -> None:
            time.sleep(0.1)
            super().write(data)

    sink = SlowSink()
    limits = Limits(pace_seconds=0.2, min_bytes_per_second=10**6)
    with FaultServer(chunked(*[bytes(50_000)] * 6)) as server:
        assert Act(answer(), limits=limits).run(server, sink).size == 300_000


# --- stopping


def test_progress_tells_the_bytes_and_what_it_raises_ends_the_transfer() -> None:
    counts: list[int] = []
    sink = MemorySink()
    with FaultServer(answer(VIDEO)) as server:
        Act(answer()).run(server, sink, progress=counts.append)
        assert counts == sorted(counts)
        assert counts[-1] == len(VIDEO)

        def lost(count: int) -> None:
            raise LeaseLost

        sink = MemorySink()
        with pytest.raises(LeaseLost):
            Act(answer()).run(server, sink, progress=lost)
    assert (sink.completed, sink.aborts) == (False, 1)


def test_the_wish_to_stop_ends_a_transfer_even_while_the_source_is_silent() -> None:
    def silent(line: Line) -> None:
        line.send(head(200, "Content-Length: 1000"), VIDEO[:600])
        line.hold()

    stop, sink = Event(), MemorySink()
    act = Act(silent)
    act.policy = type(act.policy)(http=True, idle_seconds=30.0)
    with FaultServer(silent) as server:
        timer = Timer(0.2, stop.set)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopping):
            act.run(server, sink, seconds_to_stop=lambda: 0.0 if stop.is_set() else None)
        timer.join()
    assert time.monotonic() - began < 2.0
    assert (sink.completed, sink.aborts) == (False, 1)


def test_a_fault_of_the_store_is_passed_on_as_ours_with_what_was_seen() -> None:
    class FullSink(MemorySink):
        def write(self, data: bytes | memoryview, /) -> None:
            raise Failure(Reason.STORAGE_FULL, {"bucket": "staging"})

    failure = Act(answer(VIDEO)).failed(FullSink())
    assert (failure.reason, failure.evidence["bucket"], failure.evidence["status"]) == (
        Reason.STORAGE_FULL,
        "staging",
        200,
    )


# --- several requests


def test_fr48_a_source_that_heals_gives_the_bytes_to_the_next_transfer() -> None:
    with FaultServer(in_turn(answer(status=500), answer(status=404), answer(VIDEO))) as server:
        act = Act(answer(), ready_ago=2.0)
        reasons = []
        for _ in range(2):
            with pytest.raises(Failure) as failure:
                act.run(server, MemorySink())
            reasons.append(failure.value.reason)
        assert reasons == [Reason.SOURCE_UNAVAILABLE, Reason.EARLY_NOT_FOUND]
        assert act.run(server, MemorySink()).sha256 == DIGEST


def test_fr26_a_second_transfer_begins_again_and_appends_nothing() -> None:
    with FaultServer(in_turn(cut(400_000, "end"), answer(VIDEO, "Accept-Ranges: bytes"))) as server:
        act, first, second = Act(answer()), MemorySink(), MemorySink()
        with pytest.raises(Failure):
            act.run(server, first)
        assert act.run(server, second).sha256 == DIGEST
        assert bytes(second.data) == VIDEO
        assert all("range" not in request.headers for request in server.requests)


def test_case_53_a_link_that_ends_in_mid_stream_is_truncated_and_then_expired() -> None:
    expired = answer(b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>", status=403)
    with FaultServer(in_turn(cut(400_000, "reset"), expired)) as server:
        reasons = []
        for _ in range(2):
            with pytest.raises(Failure) as failure:
                Act(answer(), expires_in=-1.0).run(server, MemorySink())
            reasons.append(failure.value.reason)
    assert reasons == [Reason.TRUNCATED, Reason.URL_EXPIRED]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from([b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n"])
        | st.binary(max_size=20),
        max_size=4,
    ),
    st.binary(max_size=60) | st.sampled_from([b"abc", b"3\r\nabc\r\n0\r\n\r\n", gzip.compress(b"abc")]),
)
def test_whatever_a_source_sends_ends_in_bytes_or_in_a_reason(fields: list[bytes], body: bytes) -> None:
    sink = MemorySink()
    with FaultServer(raw(b"HTTP/1.1 200 OK\r\n", *fields, b"\r\n", body)) as server:
        try:
            received = Act(answer()).run(server, sink)
        except Failure:
            assert (sink.completed, sink.aborts) == (False, 1)
            return
    assert (sink.completed, sink.aborts, received.size) == (True, 0, len(sink.data))
    assert received.sha256 == sha256(sink.data).hexdigest()


def test_the_guard_stands_in_front_of_every_transfer() -> None:
    routes_ = routes({"/" + CANARY: redirect("http://169.254.169.254/latest/meta-data/")})
    failure = Act(routes_, path="/" + CANARY).failed()
    assert failure.reason is Reason.BLOCKED_ADDRESS
    assert failure.evidence["why"] == "cloud metadata"
