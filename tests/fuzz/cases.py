"""The three kinds of cases, each made from a seed and a number alone, so that any one can be run again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random
from time import monotonic

from services.downloader.clocks import Clocks
from services.downloader.transfer import Order
from tests.faults.canary import CANARY, LINK
from tests.fuzz.contents import chunked, coded, content
from tests.fuzz.damage import damaged, without_canary
from tests.fuzz.fields import location
from tests.fuzz.heads import head
from tests.fuzz.links import good_link, link
from tests.fuzz.pages import error_page
from tests.fuzz.parts import parts
from tests.fuzz.peer import HOST, Reply

SECONDS = 1.5
"""The deadline of every transfer, from its start."""


@dataclass(frozen=True)
class Case:
    """One transfer: its link, and what the source answers to the first request, to the second, and so on."""

    url: str
    replies: tuple[Reply, ...]
    whole: bytes | None = None
    """The only bytes that may be received, where more than one answer makes them."""
    order: Mapping[str, object] = field(default_factory=dict)

    def made_order(self) -> Order:
        """The order, as of now."""
        now = datetime.now(UTC)
        known: dict[str, object] = {
            "credential": None,
            "url_expires_at": now + timedelta(hours=1),
            "ready_at": now - timedelta(hours=1),
            "max_bytes": 2**17,
            "declared_size": None,
            "declared_sha256": None,
            **self.order,
        }
        clock = Clocks(lambda: datetime.now(UTC)).of("source")
        return Order(url=self.url, deadline=monotonic() + SECONDS, clock=clock, **known)  # type: ignore[arg-type]


def case_of(kind: str, seed: int, number: int, port: int) -> Case:
    """The case of that number; `port` is that of the source, whose address is HOST."""
    return KINDS[kind](Random(f"{seed}/{kind}/{number}"), port)


def _url_case(random: Random, port: int) -> Case:
    url = link(random, port)
    good = Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes")
    if random.random() < 0.3:
        return Case(url, (*(_redirect(random, port) for _ in range(random.choice((1, 1, 2, 6)))), good))
    if random.random() < 0.1:
        page = error_page(random, url)
        return Case(url, (Reply(b"HTTP/1.1 %d Said\r\n\r\n%b" % (random.choice((200, 403, 404)), page)),))
    return Case(url, (good,))


def _redirect(random: Random, port: int) -> Reply:
    line = f"HTTP/1.1 {random.choice((301, 302, 303, 307, 308))} Moved"
    where = [f"Location: {location(random, port)}"] * random.choice((1, 1, 1, 1, 1, 1, 1, 0, 2))
    text = "\r\n".join([line, *where, "Content-Length: 0", "", ""])
    return Reply(text.encode(random.choice(("latin-1", "utf-8")), "xmlcharrefreplace"))


def _headers_case(random: Random, port: int) -> Case:
    url = f"http://{HOST}:{port}{LINK}"
    body = random.choice((b"bytes", b"\x00\x00\x00\x10ftypisom" * 40, error_page(random, url), b""))
    is_chunked = random.random() < 0.3
    framed = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if is_chunked and body else body
    replies = [
        _sent(random, head(random, len(body), port, is_chunked=is_chunked) + framed)
        for _ in range(random.choice((1, 1, 2)))
    ]
    replies.append(Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes"))
    return Case(url, tuple(replies), order=_order(random, body))


def _bodies_case(random: Random, port: int) -> Case:
    url = good_link(random, port) if random.random() < 0.2 else f"http://{HOST}:{port}{LINK}"
    if random.random() < 0.35:
        whole, answers = parts(random, content(random, url))
        return Case(url, tuple(_sent(random, data, damage=0.0) for data in answers), whole, _order(random, whole))
    data, fields = content(random, url), list[str]()
    wire = data
    if random.random() < 0.3:
        kind, wire = coded(random, data)
        fields.append(f"Content-Encoding: {kind}")
    framing = random.choice(("length", "length", "chunked", "chunked", "close"))
    if framing == "length":
        wrong = random.choice((-1, 1, 2, 600, 10**18)) if random.random() < 0.25 else 0
        fields.append(f"Content-Length: {max(len(wire) + wrong, 0)}")
    elif framing == "chunked":
        fields.append("Transfer-Encoding: chunked")
    status = random.choice((200,) * 9 + (403, 404, 500))
    front = "\r\n".join([f"HTTP/1.1 {status} Said", *fields, "", ""]).encode()
    sent = _sent(random, front + (chunked(random, wire) if framing == "chunked" else wire))
    return Case(url, (sent,), order=_order(random, data))


def _sent(random: Random, data: bytes, damage: float = 0.12) -> Reply:
    """An answer, perhaps damaged, cut anywhere, sent in small pieces, never ended, or ended by a reset."""
    chance = random.random()
    if chance < damage:
        data = damaged(random, without_canary(data))
    elif chance < 0.25:
        data = data[: random.randrange(len(data) + 1)]
    cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.choice((0, 0, 1, 3, 20))))
    kind = random.randrange(250)
    if kind < 2:
        # Some of these would go on for half a minute if nothing ended them.
        first = random.randrange(min(len(data), 600) + 1)
        return Reply(data, tuple(range(first, first + 600)), pause_seconds=random.choice((0.02, 0.05)))
    return Reply(data, tuple(cuts), end="hold" if kind < 6 else "reset" if kind < 16 else "fin")


def _order(random: Random, body: bytes) -> dict[str, object]:
    """What else may be known of a link, seldom."""
    now, digest = datetime.now(UTC), sha256(body).hexdigest()
    wishes: dict[str, tuple[object, ...]] = {
        "declared_size": (len(body), len(body) + 1, 0, 10**18),
        "declared_sha256": (digest, digest, "0" * 64),
        "max_bytes": (1, len(body), max(len(body) - 1, 0)),
        "url_expires_at": (None, now - timedelta(hours=1)),
        "ready_at": (now,),
        "deleted_at": (now - timedelta(hours=1), now + timedelta(seconds=1)),
        "credential": ({"Authorization": f"Bearer {CANARY}-key"},),
    }
    return {name: random.choice(values) for name, values in wishes.items() if random.random() < 0.08}


KINDS: dict[str, Callable[[Random, int], Case]] = {
    "urls": _url_case,
    "headers": _headers_case,
    "bodies": _bodies_case,
}
"""The kinds by their names."""
