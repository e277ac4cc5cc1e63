"""A real HTTP server of links: pictures of any number, bodies of any size and speed, with a canary in every link."""

import html
import io
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from PIL import Image

CANARY = "CANARYc0ffee"
BLOCK = 64 * 1024
EXPIRED = "<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Request has expired</Message>{}</Error>"

Reply = tuple[int, Mapping[str, str], bytes]
"""Status, fields, body."""
Trouble = Callable[[float], Reply | None]
"""What a path answers so many seconds after it was first asked for; None is its good answer."""


def picture(name: str, side: int = 64) -> bytes:
    """A PNG that is different for each name, of about three bytes a pixel."""
    random_bytes = random.Random(name).randbytes(side * side * 3)
    buffer = io.BytesIO()
    Image.frombytes("RGB", (side, side), random_bytes).save(buffer, "PNG")
    return buffer.getvalue()


def noise_block(name: str) -> bytes:
    return random.Random(name).randbytes(BLOCK)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.first: dict[str, float] = {}
        self.troubles: dict[str, Trouble] = {}
        self.ahead = 0.0

    def time(self) -> float:
        """What the source's own clock says, in Unix seconds."""
        return time.time() + self.ahead

    def handle_error(self, *_: object) -> None:
        """Nothing: a client that is killed is what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    """`/picture/NAME`, `/slow/NAME` (a picture in some seconds), `/noise/BYTES`, `/html`, `/gone`;
    `/closed/NAME` is noise whose length nothing tells, `/shifting/NAME` the same and other noise each time.

    A path may have a parameter. Every refusal and the field `Server` tell the link back.
    """

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        path = parts.path.partition(";")[0]
        self.server.asked[path] += 1
        since = time.monotonic() - self.server.first.setdefault(path, time.monotonic())
        told = self.server.troubles.get(path)
        trouble = told(since) if told else None
        _, what, *rest = path.split("/")
        name = rest[0] if rest else ""
        if trouble:
            self._answer(trouble[0], trouble[2], **trouble[1])
        elif self._has_ended(parse_qs(parts.query)):
            self._answer(403, EXPIRED.format(f"<Resource>{html.escape(self.path)}</Resource>").encode())
        elif CANARY not in parts.query:
            self._answer(403, b"no signature")
        elif what == "picture":
            self._answer(200, picture(name))
        elif what == "slow":
            self._slowly(picture(name), float(parse_qs(parts.query).get("seconds", ["5"])[0]))
        elif what == "noise":
            self._noise(int(name))
        elif what == "closed":
            self._until_close(noise_block(name)[:5000])
        elif what == "shifting":
            self._until_close(noise_block(f"{name}-{time.monotonic()}")[:5000])
        elif what == "html":
            self._answer(200, b"<!doctype html><title>Sign in</title>")
        else:
            self._answer(404, f"{self.path} is gone".encode())

    def do_HEAD(self) -> None:
        self._answer(403, b"")

    def _has_ended(self, query: Mapping[str, list[str]]) -> bool:
        if "X-Amz-Expires" not in query:
            return False
        signed = datetime.strptime(query["X-Amz-Date"][0], "%Y%m%dT%H%M%S%z").timestamp()
        return self.server.time() >= signed + int(query["X-Amz-Expires"][0])

    def version_string(self) -> str:
        return f"source {getattr(self, 'path', '')}"

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(self.server.time() if timestamp is None else timestamp)

    def _answer(self, status: int, body: bytes, **fields: str) -> None:
        self._head(status, len(body), **fields)
        self.wfile.write(body)

    def _until_close(self, body: bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _head(self, status: int, length: int, **fields: str) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _slowly(self, body: bytes, seconds: float) -> None:
        self._head(200, len(body))
        pieces = [body[i : i + 256] for i in range(0, len(body), 256)]
        for piece in pieces:
            self.wfile.write(piece)
            self.server.sent[urlsplit(self.path).path.partition(";")[0]] += len(piece)
            time.sleep(seconds / len(pieces))

    def _noise(self, size: int) -> None:
        self._head(200, size)
        block = noise_block(str(size))
        for start in range(0, size, BLOCK):
            self.wfile.write(block[: min(BLOCK, size - start)])

    def log_message(self, *_: object) -> None:
        return


class Source:
    """The server, running until closed."""

    def __init__(self) -> None:
        self._server = _Server()
        self.port: int = self._server.server_address[1]
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def pair(self) -> str:
        return f"127.0.0.1:{self.port}"

    def asked(self, path: str) -> int:
        """How many requests came for a path."""
        return self._server.asked[f"/{path}"]

    def sent(self, path: str) -> int:
        """How many bytes of a slow picture have gone out, over all requests."""
        return self._server.sent[f"/{path}"]

    def trouble(self, path: str, trouble: Trouble) -> None:
        """Let a path answer with troubles first."""
        self._server.troubles[f"/{path}"] = trouble

    def set_clock(self, *, ahead: float) -> None:
        """Let the source's own clock be so many seconds ahead."""
        self._server.ahead = ahead

    def link(self, path: str, *, life: int = 3600, **query: object) -> str:
        """A signed link in the form of S3 that ends in `life` seconds, or ended that long ago if negative.

        It is dated by the source's own clock, by which it also ends.
        """
        more = "".join(f"&{name}={value}" for name, value in query.items())
        since = timedelta(seconds=0 if life > 0 else life - 60)
        dated = datetime.fromtimestamp(self._server.time(), UTC) + since
        signed, life = dated.strftime("%Y%m%dT%H%M%SZ"), life if life > 0 else 60
        return (
            f"http://{self.pair}/{path};by={CANARY}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={signed}"
            f"&X-Amz-Expires={life}&X-Amz-SignedHeaders=host&X-Amz-Credential={CANARY}&X-Amz-Signature={CANARY}"
            f"&to=user:{CANARY}@h.test{more}"
        )

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def noise_digest(size: int) -> str:
    block, digest = noise_block(str(size)), sha256()
    for start in range(0, size, BLOCK):
        digest.update(block[: min(BLOCK, size - start)])
    return digest.hexdigest()
