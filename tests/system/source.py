"""A real HTTP server of links: pictures of any number, bodies of any size and speed, with a canary in every link."""

import io
import random
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from PIL import Image

CANARY = "CANARYc0ffee"
BLOCK = 64 * 1024


def picture(name: str) -> bytes:
    """A small PNG that is different for each name."""
    random_bytes = random.Random(name).randbytes(64 * 64 * 3)
    buffer = io.BytesIO()
    Image.frombytes("RGB", (64, 64), random_bytes).save(buffer, "PNG")
    return buffer.getvalue()


def noise_block(name: str) -> bytes:
    return random.Random(name).randbytes(BLOCK)


class Handler(BaseHTTPRequestHandler):
    """`/picture/NAME`, `/slow/NAME` (a picture in some seconds), `/noise/BYTES`, `/html`, `/gone`;
    `/closed/NAME` is noise whose length nothing tells, `/shifting/NAME` the same and other noise each time.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        _, what, *rest = parts.path.split("/")
        name = rest[0] if rest else ""
        if CANARY not in parts.query:
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
            self._answer(404, b"gone")

    def do_HEAD(self) -> None:
        self._answer(403, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self._head(status, len(body))
        self.wfile.write(body)

    def _until_close(self, body: bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _slowly(self, body: bytes, seconds: float) -> None:
        self._head(200, len(body))
        pieces = [body[i : i + 256] for i in range(0, len(body), 256)]
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(seconds / len(pieces))

    def _noise(self, size: int) -> None:
        self._head(200, size)
        block = noise_block(str(size))
        for start in range(0, size, BLOCK):
            self.wfile.write(block[: min(BLOCK, size - start)])

    def log_message(self, *_: object) -> None:
        return


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Nothing: a client that is killed is what these tests are about."""


class Source:
    """The server, running until closed."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def pair(self) -> str:
        return f"127.0.0.1:{self.port}"

    def link(self, path: str, *, life: int = 3600, **query: object) -> str:
        """A signed link in the form of S3 that ends in `life` seconds, or ended that long ago if negative."""
        more = "".join(f"&{name}={value}" for name, value in query.items())
        since = timedelta(seconds=0 if life > 0 else life - 60)
        signed, life = (datetime.now(UTC) + since).strftime("%Y%m%dT%H%M%SZ"), life if life > 0 else 60
        return (
            f"http://{self.pair}/{path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={signed}&X-Amz-Expires={life}"
            f"&X-Amz-SignedHeaders=host&X-Amz-Credential={CANARY}&X-Amz-Signature={CANARY}{more}"
        )

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def noise_digest(size: int) -> str:
    block, digest = noise_block(str(size)), sha256()
    for start in range(0, size, BLOCK):
        digest.update(block[: min(BLOCK, size - start)])
    return digest.hexdigest()
