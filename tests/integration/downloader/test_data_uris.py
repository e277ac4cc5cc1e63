"""Output inside its link, and links that are none."""

from base64 import b64encode
from hashlib import sha256

import pytest

from shared.errors import Failure, LeaseLost
from shared.reasons import Reason
from tests.faults.answers import answer, redirect
from tests.faults.canary import CANARY, check_silent
from tests.faults.server import FaultServer
from tests.faults.sinks import CountingSink, MemorySink
from tests.integration.downloader.acts import VIDEO, Act

DIGEST = sha256(VIDEO).hexdigest()
URI = "data:video/mp4;base64," + b64encode(VIDEO).decode()


def act_of(url: str, **more: object) -> Act:
    return Act(answer(b"never asked"), url=url, **more)  # type: ignore[arg-type]


def test_fr49_a_data_uri_is_decoded_into_the_upload_and_nothing_is_asked_of_the_network() -> None:
    sink, counts = MemorySink(), list[int]()
    with FaultServer(answer()) as server:
        received = act_of(URI).run(server, sink, progress=counts.append)
        assert server.connections == 0
    assert (bytes(sink.data), sink.completed, sink.aborts) == (VIDEO, True, 0)
    assert (received.size, received.sha256, received.proven_by) == (len(VIDEO), DIGEST, "uri")
    assert counts[-1] == len(VIDEO)
    assert sink.largest_write <= 2**20
    assert "data:" not in str(received.evidence)


def test_fr49_a_data_uri_of_10_megabytes_stops_at_the_limit() -> None:
    url = "data:application/octet-stream;base64," + b64encode(bytes(10 * 2**20)).decode()
    assert act_of(url, max_bytes=10 * 2**20).received(CountingSink())[0].size == 10 * 2**20
    sink = CountingSink()
    assert act_of(url, max_bytes=2**20).failed(sink).reason is Reason.TOO_LARGE
    assert sink.size <= 2**20


def test_a_data_uri_is_held_to_what_the_event_declared() -> None:
    assert act_of(URI, declared_sha256=DIGEST, declared_size=len(VIDEO)).received()[0].sha256 == DIGEST
    assert act_of(URI, declared_sha256="0" * 64).failed().reason is Reason.DECLARED_MISMATCH
    assert act_of(URI, declared_size=1).failed().reason is Reason.SIZE_MISMATCH


def test_fr49_a_broken_or_empty_data_uri_is_refused_and_its_text_is_not_told() -> None:
    assert act_of(URI[:-1]).failed().reason is Reason.PROTOCOL_VIOLATION
    assert act_of(f"data:;base64,{CANARY}*").failed().reason is Reason.PROTOCOL_VIOLATION
    assert act_of("data:;base64,").failed().reason is Reason.EMPTY_BODY


def test_a_page_in_a_data_uri_is_no_answer_of_a_source_and_is_left_to_the_verifier() -> None:
    assert act_of("data:text/html,<html>hello").received()[0].size == 11


def test_a_lost_lease_ends_a_data_uri_too() -> None:
    def lost(count: int) -> None:
        raise LeaseLost

    sink = MemorySink()
    with FaultServer(answer()) as server, pytest.raises(LeaseLost):
        act_of(URI).run(server, sink, progress=lost)
    assert (sink.completed, sink.aborts) == (False, 1)


@pytest.mark.parametrize(
    "url",
    [
        f"file:///etc/{CANARY}",
        f"/data/{CANARY}.mp4",
        f"ftp://example.org/{CANARY}",
        f"gopher://example.org/{CANARY}",
        f"blob:https://example.org/{CANARY}",
        f"javascript:{CANARY}",
        f"plain text {CANARY}",
        "42",
        "",
    ],
)
def test_fr49_what_is_no_link_is_refused(url: str) -> None:
    failure = act_of(url).failed()
    assert failure.reason is Reason.BLOCKED_ADDRESS
    assert failure.evidence["refused"] in ("scheme", "characters")


def test_fr49_a_redirect_to_a_data_uri_or_a_file_is_refused() -> None:
    for location in ("data:video/mp4;base64,AAAA", "file:///etc/passwd"):
        sink = MemorySink()
        with FaultServer(redirect(location)) as server, pytest.raises(Failure) as failure:
            Act(answer()).run(server, sink)
        assert failure.value.reason is Reason.REDIRECT_REFUSED
        check_silent(failure.value)
