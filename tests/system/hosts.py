"""Hosts of pictures on loopback addresses of their own, which may be away or as slow as one byte a second."""

import time
from collections import Counter
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from tests.system.source import CANARY, picture


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, address: str) -> None:
        super().__init__((address, 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.is_away = False
        self.is_slow = False

    def handle_error(self, *_: object) -> None:
        """Nothing: clients that give up are what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    """`/head/NAME` and `/body/NAME` are pictures; a slow host sends one byte a second from there on."""

    server: _Server

    def do_GET(self) -> None:
        what, name = urlsplit(self.path).path.strip("/").split("/")
        self.server.asked[f"{what}/{name}"] += 1
        body = b"try later" if self.server.is_away else picture(name)
        head = f"HTTP/1.1 {503 if self.server.is_away else 200} -\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        sent = len(head) if what == "body" else 0
        self.wfile.write((head + body)[:sent])
        while self.server.is_slow and sent < len(head + body):
            self.wfile.write((head + body)[sent : sent + 1])
            sent += 1
            time.sleep(1.0)
        self.wfile.write((head + body)[sent:])

    def log_message(self, *_: object) -> None:
        return


class Host:
    """One host, running until closed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._server = _Server(address)
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def pair(self) -> str:
        return f"{self.address}:{self._server.server_address[1]}"

    @property
    def asked(self) -> Counter[str]:
        """How many requests came so far for each path."""
        return self._server.asked.copy()

    def link(self, path: str) -> str:
        """A link in the form of S3 that lives for two hours."""
        signed = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        return (
            f"http://{self.pair}/{path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={signed}&X-Amz-Expires=7200"
            f"&X-Amz-SignedHeaders=host&X-Amz-Credential={CANARY}&X-Amz-Signature={CANARY}"
        )

    def go_away(self) -> None:
        """Answer 503 to everything from now on."""
        self._server.is_away = True

    def slow_down(self) -> None:
        """Send one byte a second from now on."""
        self._server.is_slow = True

    def recover(self) -> None:
        """Be a good host again."""
        self._server.is_away = self._server.is_slow = False

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
