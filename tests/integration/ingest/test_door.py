"""The webhook door on a real socket: what senders of every kind get, and that none of them holds it up."""

import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from services.ingest.webhooks import connection
from services.ingest.webhooks.answer import STORED, Answer
from services.ingest.webhooks.door import MOST_HEAD_BYTES, Door
from shared.errors import UsageError
from tests.faults.canary import CANARY
from tests.faults.ears import nothing_is_logged
from tests.system.conftest import until
from tests.unit.ingest.webhooks.knocking import SIGNED, Followed, body, path, receiver, registry, signed

__all__ = ["nothing_is_logged"]

BLOCK = b"x" * 65536
FIFTY = 50 * 2**20


@pytest.fixture
def followed() -> Followed:
    return Followed()


@pytest.fixture
def door(tmp_path: Path, followed: Followed) -> Iterator[Door]:
    opened = Door(receiver(registry(tmp_path, acme=SIGNED), followed), "127.0.0.1", 0)
    assert opened.problems() == ["the webhook door does not listen"]
    opened.start()
    until(lambda: opened.problems() == [], "the door is open", 10)
    yield opened
    opened.stop()
    assert opened.problems() == ["the webhook door does not listen"]


def head(target: str, *fields: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: hooks.example", *fields, "", ""]).encode()


def webhook(content: bytes, *fields: str, proof: bytes | None = None) -> bytes:
    signature = (proof or signed(content)["x-signature"]).decode()
    return head(path(), f"Content-Length: {len(content)}", f"X-Signature: {signature}", *fields) + content


def open_line(door: Door, seconds: float = 20.0) -> socket.socket:
    return socket.create_connection(("127.0.0.1", door.port), seconds)


def status_of(line: socket.socket) -> int:
    """The status of the next answer, read to its end; 0 where the connection ended."""
    answer = http.client.HTTPResponse(line)
    try:
        answer.begin()
        answer.read()
    except (OSError, http.client.HTTPException):
        return 0
    return answer.status


def say(door: Door, *pieces: bytes) -> int:
    """Send pieces on a connection of their own."""
    with closing(open_line(door)) as line:
        for piece in pieces:
            line.sendall(piece)
        return status_of(line)


def ends(line: socket.socket) -> bool:
    """Whether the connection has ended, or ends soon."""
    try:
        return not line.recv(65536)
    except ConnectionError:
        return True


def test_fr45_a_body_of_50_mb_is_refused_and_its_sender_hears_why(door: Door, followed: Followed) -> None:
    block_count = FIFTY // len(BLOCK)
    assert say(door, head(path(), f"Content-Length: {FIFTY}"), *[BLOCK] * block_count) == 413
    chunk = b"%x\r\n%b\r\n" % (len(BLOCK), BLOCK)
    assert say(door, head(path(), "Transfer-Encoding: chunked"), *[chunk] * block_count, b"0\r\n\r\n") == 413
    assert say(door, head("/nowhere", f"Content-Length: {FIFTY}"), *[BLOCK] * block_count) == 404
    assert followed.notices == []


def test_a_sender_that_asks_first_sends_no_body_in_vain(door: Door) -> None:
    asking = f"Content-Length: {FIFTY}", "Expect: 100-continue"
    assert say(door, head(path(), *asking)) == 413
    assert say(door, head("/nowhere", *asking)) == 404
    with closing(open_line(door)) as line:
        content = body()
        line.sendall(webhook(content, "Expect: 100-continue")[: -len(content)])
        assert line.recv(1000).startswith(b"HTTP/1.1 100")
        line.sendall(content)
        assert status_of(line) == 200


def test_several_webhooks_come_on_one_connection_also_before_their_answers(door: Door, followed: Followed) -> None:
    with closing(open_line(door)) as line:
        for _ in range(2):
            line.sendall(webhook(body()))
            assert status_of(line) == 200
        line.sendall(webhook(body()) + webhook(body(), proof=b"00") + webhook(body()))
        texts = b""
        while texts.count(b"HTTP/1.1") < 3 or not texts.endswith(b"\n"):
            texts += line.recv(65536)
    assert [part[:3] for part in texts.split(b"HTTP/1.1 ")[1:]] == [b"200", b"401", b"200"]
    assert len(followed.notices) == 4


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/9.9\r\nHost: a\r\n\r\n",
        head(path(), "Content-Length: -1"),
        head(path(), "Content-Length: " + "9" * 5000),
        head(path(), "Content-Length: 1, 2"),
        head(path(), "Content-Length: 5", "Content-Length: 6") + b"abcdef",
        head(path(), "Transfer-Encoding: gzip, chunked"),
        head(path(), "Transfer-Encoding: chunked") + b"zz\r\n",
        head(path(), "X: a\0b"),
        head(path(), "X : b"),
        head(path(), "X: " + "y" * 2 * MOST_HEAD_BYTES),
        head("/" + "a" * 2 * MOST_HEAD_BYTES),
    ],
)
def test_what_is_no_good_request_gets_a_4xx_at_most_and_harms_nobody(
    door: Door, request_bytes: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_line(door)) as line:
        line.sendall(request_bytes)
        with suppress(OSError):
            line.shutdown(socket.SHUT_WR)
        assert status_of(line) in (0, *range(400, 500))
    assert say(door, webhook(body())) == 200
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


def test_rubbish_in_the_rest_of_a_refused_body_only_ends_the_connection(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_line(door)) as line:
        line.sendall(head("/nowhere", "Transfer-Encoding: chunked"))
        assert status_of(line) == 404
        line.sendall(b"this is no chunk\r\n")
        assert ends(line)
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


def dripping(line: socket.socket, piece: bytes) -> None:
    """Send a piece every 50 ms until the other side has had enough."""
    stopped = Event()
    with suppress(OSError):
        while not stopped.wait(0.05):
            line.sendall(piece)


@pytest.mark.parametrize(
    ("begin", "piece", "status"),
    [
        (b"", b"", 0),
        (b"", b"P", 0),
        (head(path())[:-2], b"X: y\r\n", 0),
        (head("/nowhere", "Content-Length: 1000000"), b"x", 404),
        (head(path(), f"Content-Length: {FIFTY}"), b"x", 413),
    ],
)
def test_case_57_nobody_who_sends_slowly_keeps_a_connection(
    door: Door, monkeypatch: pytest.MonkeyPatch, begin: bytes, piece: bytes, status: int
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.4)
    with closing(open_line(door, 10)) as line:
        line.sendall(begin)
        sender = Thread(target=dripping, args=(line, piece), daemon=True)
        sender.start()
        assert status_of(line) == status
        assert status == 0 or ends(line)
    sender.join(10)
    assert say(door, webhook(body())) == 200


def test_a_crowd_of_silent_connections_keeps_nobody_out(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 8)
    crowd = [open_line(door) for _ in range(20)]
    assert say(door, webhook(body())) == 200
    for number, line in enumerate(crowd):
        line.settimeout(2)
        with closing(line):
            assert number > 12 or ends(line)


@pytest.fixture
def held(followed: Followed) -> Iterator[Callable[[], None]]:
    """Holds every webhook until it is called."""
    release = Event()
    followed.work = lambda: STORED if release.wait(30) else Answer(503, "unavailable", "")
    yield release.set
    release.set()


def test_when_the_door_closes_a_request_in_progress_is_answered_and_no_new_one_taken(
    door: Door, followed: Followed, held: Callable[[], None]
) -> None:
    idle = open_line(door)
    with closing(open_line(door)) as line, closing(idle):
        line.sendall(webhook(body()))
        until(lambda: followed.notices, "the webhook is in progress", 10)
        stopping = Thread(target=door.stop)
        stopping.start()
        assert ends(idle)
        with pytest.raises(ConnectionRefusedError):
            open_line(door)
        assert stopping.is_alive()
        held()
        assert status_of(line) == 200
        stopping.join(10)
        assert not stopping.is_alive()


def test_an_address_that_is_taken_is_said_at_the_start(door: Door, followed: Followed, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="OUTLAST_WEBHOOK_PORT"):
        Door(receiver(registry(tmp_path), followed), "127.0.0.1", door.port)


def test_nothing_of_a_request_is_in_any_log_line(door: Door) -> None:
    """`nothing_is_logged` listens."""
    for target in (f"/{CANARY}", f"{path()}?{CANARY}", f"/studio/acme/{CANARY}/{CANARY}"):
        assert say(door, head(target, f"X-Signature: {CANARY}", "Content-Length: 12") + CANARY.encode()[:12]) in (
            401,
            404,
        )
    assert say(door, f"POST /{CANARY}\0 HTTP/1.1\r\n\r\n".encode()) in (0, 400)
