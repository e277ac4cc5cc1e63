"""What the fuzz run looks for is seen when it is there."""

import socket
from dataclasses import replace

import pytest

from tests.faults.canary import CANARY
from tests.faults.ears import listening
from tests.faults.names import NameServer
from tests.fuzz.arena import Arena
from tests.fuzz.cases import Case
from tests.fuzz.peer import HOST, Peer, Reply
from tests.fuzz.running import run_each
from tests.fuzz.watch import watching
from tests.fuzz.zone import Zone, is_private

GOOD = Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes")


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "::",
        "::1",
        "fe80::1",
        "fd00::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "2001:db8::1",
        "4000::1",
        "a.name",
    ],
)
def test_an_address_that_nobody_may_reach_is_known_as_such(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize("host", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_a_public_address_is_known_as_such(host: str) -> None:
    assert not is_private(host)


@pytest.mark.parametrize(
    ("host", "word"), [("127.0.0.1", "denied"), ("::1", "denied"), ("localhost", "denied"), ("93.184.215.14", "public")]
)
def test_a_connection_that_is_not_allowed_is_stopped_and_counted(host: str, word: str) -> None:
    with watching() as watch, pytest.raises(OSError, match=r"stopped|not reached"):
        socket.create_connection((host, 9), timeout=0.2)
    assert watch.counts == {word: 1}
    assert bool(watch.denied) == (word == "denied")


def test_a_connection_that_is_allowed_is_let_through_and_counted() -> None:
    peer = Peer()
    with watching() as watch:
        watch.allowed.add((HOST, peer.port))
        socket.create_connection((HOST, peer.port)).close()
    peer.close()
    assert watch.counts == {"allowed": 1}


def test_a_transfer_that_reaches_a_denied_address_is_a_fault() -> None:
    with NameServer(Zone()) as names, watching() as watch:
        arena = Arena(names, watch)
        arena.policy = replace(arena.policy, allow=frozenset({("127.0.0.1", 9)}))
        with pytest.raises(AssertionError, match=r"socket.connect \('127.0.0.1', 9\)"):
            arena.run(Case("http://127.0.0.1:9/", (GOOD,)))
        arena.peer.close()


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (Case("http://h:1/", (GOOD,), order={"max_bytes": None}), "TypeError"),
        (Case("http://h:1/", (GOOD,), whole=b"other"), "5 bytes were received, and 5 were sent"),
        (Case("http://h:1/", (Reply(b"HTTP/1.1 403 No\r\n\r\n" + CANARY.encode()),)), "assert not tells"),
        (Case(f"http://h:1/{CANARY}", (Reply(b"HTTP/1.1 403 No\r\nServer: canary7F3A9C\r\n\r\n"),)), None),
        (Case(f"http://h:1/?a={CANARY}", (Reply(b"HTTP/1.1 403 No\r\n\r\nof " + CANARY[:9].encode()),)), None),
    ],
)
def test_a_transfer_that_ends_otherwise_than_it_may_is_a_fault(case: Case, fault: str | None) -> None:
    def make(number: int, port: int) -> Case:
        redirect = Reply(b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n")
        replies = (redirect, *case.replies) if case.whole else case.replies
        return replace(case, url=case.url.replace("h:1", f"{HOST}:{port}"), replies=replies)

    tally = run_each(make, [0], arenas=1)
    assert len(tally.faults) == (fault is not None)
    assert fault is None or fault in tally.faults[0]


def test_a_log_line_that_tells_the_canary_is_heard() -> None:
    import logging

    with listening() as heard:
        logging.getLogger("any.library").debug("asked for %s", f"/{CANARY.lower()}")
        logging.getLogger("any.library").debug("nothing")
    assert len(heard) == 1


@pytest.mark.parametrize("request_", [b"GET / HTTP/1.1\r\nx: y\r\n\r\n", b"GET /a b HTTP/1.1\r\nhost: h\r\n\r\n"])
def test_a_request_that_is_not_one_get_with_known_fields_is_odd(request_: bytes) -> None:
    peer = Peer()
    peer.prepare([GOOD])
    with socket.create_connection((HOST, peer.port)) as sock:
        sock.sendall(request_)
        while sock.recv(100):
            pass
    peer.close()
    assert peer.odd_requests == [request_]
