"""Content endpoints that a provider's entry names: how they are asked, and output that is base64 in their JSON."""

import gzip
import json
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from services.downloader.order import Endpoint
from services.downloader.reach import is_away
from shared.errors import Failure, LeaseLost
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, chunks, closing, head, in_turn, redirect
from tests.faults.canary import CANARY, tells
from tests.faults.server import FaultServer, Line, Script
from tests.faults.sinks import CountingSink, MemorySink
from tests.integration.downloader.acts import VIDEO, Act
from tests.integration.downloader.parts import TAG, broken, honest

KEY = {"authorization": f"Bearer {CANARY}-key"}
NAMES = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
JSON = "Content-Type: application/json"
BODY = json.dumps({"operationName": "models/veo/operations/1"}).encode()
PATH = "response.videos[0].bytesBase64Encoded"
VERTEX = Endpoint(
    "POST", {"Content-Type": "application/json", "Accept": "application/json", "X-Version": "7"}, BODY, PATH
)
MIB = 2**20
ROOT = Path(__file__).parents[3]


def document(data: bytes = VIDEO, **more: object) -> bytes:
    """What Vertex answers about a finished operation."""
    video = {"mimeType": "video/mp4", "bytesBase64Encoded": b64encode(data).decode()}
    return json.dumps(
        {"name": "models/veo/operations/1", "done": True, "response": {"videos": [video]}, **more}
    ).encode()


def act_of(script: Script, **more: object) -> Act:
    """A question for base64 in JSON."""
    return Act(script, **{"endpoint": VERTEX, "credential": KEY, **more})  # type: ignore[arg-type]


def failed(body: bytes, **more: object) -> Failure:
    return act_of(answer(body, JSON), **more).failed()


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_base64_in_the_answer_to_a_post_is_stored_decoded(framing: str) -> None:
    text, asked = document(), list[tuple[str, bytes, str | None, str | None, str | None]]()

    def lead(line: Line) -> None:
        told = line.request
        fields = (told.headers.get(name) for name in ("content-type", "authorization", "x-version"))
        asked.append((told.method, told.body, *fields))  # type: ignore[arg-type]
        (answer(text, JSON) if framing == "length" else chunked(text[:1000], text[1000:]))(line)

    received, sink = act_of(lead, declared_size=len(VIDEO), declared_sha256=sha256(VIDEO).hexdigest()).received()
    assert bytes(sink.data) == VIDEO
    assert (received.size, received.proven_by) == (len(VIDEO), framing)
    assert (received.evidence["wire_bytes"], received.evidence["stored_bytes"]) == (len(text), len(VIDEO))
    assert asked == [("POST", BODY, "application/json", KEY["authorization"], "7")]


def test_json_that_is_gzip_or_ended_by_close_is_whole_by_its_own_word() -> None:
    text = document()
    received, sink = act_of(answer(gzip.compress(text), "Content-Encoding: gzip")).received()
    assert (bytes(sink.data), received.proven_by, received.evidence["coding"]) == (VIDEO, "length", "gzip")
    received, sink = act_of(closing(text)).received()
    assert (bytes(sink.data), received.proven_by) == (VIDEO, "document")
    assert act_of(closing(text[:-1])).failed().reason is Reason.TRUNCATED


def test_the_limit_and_what_was_declared_are_of_the_decoded_bytes() -> None:
    text = document()
    assert act_of(answer(text), max_bytes=len(VIDEO)).received()[0].size == len(VIDEO)
    sink = MemorySink()
    assert act_of(answer(text), max_bytes=len(VIDEO) - 1).failed(sink).reason is Reason.TOO_LARGE
    assert len(sink.data) < len(VIDEO)
    assert failed(text, declared_size=len(text)).reason is Reason.SIZE_MISMATCH
    assert failed(text, declared_sha256=sha256(text).hexdigest()).reason is Reason.DECLARED_MISMATCH
    coded = gzip.compress(text)
    act = act_of(answer(coded, "Content-Encoding: gzip"), declared_sha256=sha256(coded).hexdigest())
    assert act.failed().reason is Reason.DECLARED_MISMATCH
    assert act_of(closing(text), declared_size=len(VIDEO) + 1).failed().reason is Reason.SIZE_MISMATCH


def test_what_is_decoded_is_no_page_of_the_source_and_is_left_to_the_verifier() -> None:
    assert act_of(answer(document(b"<html>hello</html>"))).received()[0].size == 18


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"error": {"code": 13, "message": "internal"}}', Reason.ERROR_BODY),
        (b'{"response": {"errors": ["no"]}}', Reason.ERROR_BODY),
        (b'{"code": "Throttling", "message": "slow down"}', Reason.RATE_LIMITED),
        (b"<html><body>Bad gateway</body></html>", Reason.ERROR_BODY),
        (b"upstream connect error", Reason.ERROR_BODY),
        (VIDEO, Reason.ERROR_BODY),
        (b"", Reason.EMPTY_BODY),
        (document(b""), Reason.EMPTY_BODY),
        (b'{"response": {"videos": [{"bytesBase64Encoded": null}]}}', Reason.NO_OUTPUT),
        (b'{"error": null, "done": true, "response": {"raiMediaFilteredCount": 1}}', Reason.NO_OUTPUT),
        (b'{"errors": [ ], "response": {"videos": []}}', Reason.NO_OUTPUT),
        (b"{}", Reason.NO_OUTPUT),
        (document()[:-1], Reason.TRUNCATED),
        (document() + document(), Reason.PROTOCOL_VIOLATION),
        (document().replace(b"AAAA", b"AA*A", 1), Reason.PROTOCOL_VIOLATION),
        (b'{"response": {"videos": [' + b"[" * 10_000, Reason.PROTOCOL_VIOLATION),
    ],
)
def test_a_200_without_the_output_is_told_for_what_it_is(body: bytes, reason: Reason) -> None:
    assert failed(body).reason is reason


def test_the_words_in_place_of_the_output_are_kept_without_what_is_secret() -> None:
    link = f"https://cdn.example/{CANARY}/v.mp4?sig={CANARY}"
    words = {"message": "quota is used up", "link": link, "key": KEY["authorization"]}
    error = failed(json.dumps({"error": words}).encode())
    assert "quota is used up" in str(error.evidence["body"])
    nothing = failed(json.dumps({"done": True, "why": words}).encode())
    assert nothing.evidence["why"] == f"{PATH} is absent"
    assert "quota is used up" in str(nothing.evidence["body"])
    assert not tells(str([error.evidence, nothing.evidence]))


def test_a_document_that_breaks_off_is_not_resumed_though_its_version_is_certain() -> None:
    for endpoint in (VERTEX, Endpoint(base64=PATH), Endpoint("POST", {}, BODY)):
        body = document() if endpoint.base64 else VIDEO
        script = in_turn(broken(TAG, body=body), honest(TAG, body=body))
        with FaultServer(script) as server, pytest.raises(Failure) as failure:
            act_of(script, endpoint=endpoint).run(server, MemorySink())
        assert (failure.value.reason, server.connections) == (Reason.TRUNCATED, 1)


def test_raw_bytes_of_an_endpoint_are_resumed_as_those_of_a_link_are() -> None:
    endpoint, seen = Endpoint(headers={"X-Version": "7"}), list[tuple[str | None, str | None]]()

    def lead(line: Line) -> None:
        seen.append((line.request.headers.get("x-version"), line.request.headers.get("authorization")))
        in_turn(broken(TAG), honest(TAG))(line)

    _, sink = act_of(lead, endpoint=endpoint).received()
    assert bytes(sink.data) == VIDEO
    assert seen == [("7", KEY["authorization"])] * 2


@pytest.mark.parametrize("name", sorted(NAMES))
def test_fr12_a_store_behind_an_endpoint_is_shown_neither_key_nor_headers(name: str) -> None:
    key = {name: f"{CANARY}-key"}

    def storage(line: Line) -> None:
        is_twice = NAMES & set(line.request.headers)
        (answer(b"<Error><Code>InvalidArgument</Code></Error>", status=400) if is_twice else answer(VIDEO))(line)

    def api(line: Line) -> None:
        known = line.request.headers.get(name) == key[name] and line.request.headers.get("x-version") == "7"
        (redirect(store.url("/bucket/v.mp4?sig=1")) if known else answer(status=403))(line)

    with FaultServer(storage) as store:
        act = act_of(api, endpoint=Endpoint(headers={"X-Version": "7"}), credential=key, others=(store,))
        _, sink = act.received()
    assert bytes(sink.data) == VIDEO
    (seen,) = store.requests
    assert not (NAMES | {"x-version"}) & set(seen.headers)
    assert CANARY.encode() not in seen.head


def test_a_post_is_not_redirected() -> None:
    with FaultServer(answer(document())) as other:
        failure = act_of(redirect(other.url("/v"), 307), others=(other,)).failed()
        assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "method")
        assert other.connections == 0


@pytest.mark.parametrize("status", [202, 425])
def test_an_endpoint_that_has_the_output_not_yet_is_asked_again_when_it_says_and_is_not_away(status: int) -> None:
    failure = act_of(answer(b'{"status": "in-progress"}', "Retry-After: 10", status=status)).failed()
    assert (failure.reason, failure.retry_after) == (Reason.SOURCE_UNAVAILABLE, 10.0)
    assert not is_away(failure)
    assert is_away(act_of(answer(status=503)).failed())


@pytest.mark.parametrize(
    ("status", "newer", "reason"),
    [
        (401, False, Reason.CREDENTIAL_REFUSED),
        (403, False, Reason.CREDENTIAL_REFUSED),
        (404, False, Reason.SOURCE_GONE),
        (404, True, Reason.CREDENTIAL_REFUSED),
    ],
)
def test_fr13_a_refusal_of_an_endpoint_is_about_the_key_or_the_output(status: int, newer: bool, reason: Reason) -> None:
    act = act_of(answer(b'{"error": "no"}', JSON, status=status), credential_is_newer=newer)
    assert act.failed().reason is reason


def written(mib: int) -> Script:
    """Base64 of so many MiB, as PHP writes it, behind another output of the same size."""
    block = b64encode(bytes(range(256)) * 768).replace(b"/", b"\\/")

    def lead(line: Line) -> None:
        parts = [b'{"v": ["', *[block] * (mib * 16 // 3), b'", "', *[block] * (mib * 16 // 3), b'"]}']
        line.send(head(200, "Transfer-Encoding: chunked"), *(chunks([part]) for part in parts), b"0\r\n\r\n")

    return lead


def peak_kib(mib: int) -> int:
    with FaultServer(written(mib)) as server:
        command = [sys.executable, "-m", "tests.integration.downloader.measured", server.url(), "v[1]"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    size, peak = map(int, done.stdout.split())
    assert size == mib * 16 // 3 * 192 * 1024
    return peak


def test_fr61_the_memory_of_base64_is_flat_from_3_to_64_mib() -> None:
    small, large = peak_kib(3), peak_kib(64)
    assert large <= 1.1 * small
    assert large <= 120 * 1024


def test_a_lost_lease_ends_a_document_too() -> None:
    def lost(count: int) -> None:
        if count > 300_000:
            raise LeaseLost

    sink = CountingSink()
    with FaultServer(answer(document())) as server, pytest.raises(LeaseLost):
        act_of(answer()).run(server, sink, progress=lost)
    assert (sink.completed, sink.aborts) == (False, 1)
