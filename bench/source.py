"""The source of the transfers: a process that serves bodies of any size straight out of memory."""

import http.client
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from deploy.local.loopback import call
from deploy.local.ports import HOST, free_port
from deploy.local.process import Process, StartError, stop_all

BLOCK_BYTES = 256 * 2**20
"""Bytes after which a body repeats itself: more than any cache of a processor holds."""

START_SECONDS = 30.0
_SEND_BYTES = 4 * 2**20
_READ_BYTES = 2**20


class Handler(BaseHTTPRequestHandler):
    """Answers `/SIZE` with so many bytes."""

    protocol_version = "HTTP/1.1"
    memory: int

    def do_GET(self) -> None:
        """Send the body by the kernel, without a copy in this process."""
        size = int(self.path.strip("/"))
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        sent = 0
        while sent < size:
            start = sent % BLOCK_BYTES
            room = min(_SEND_BYTES, size - sent, BLOCK_BYTES - start)
            sent += os.sendfile(self.connection.fileno(), self.memory, start, room)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name in the base class)
        """Say nothing of a request."""


@dataclass(frozen=True)
class Source:
    """A running source."""

    port: int

    @property
    def pair(self) -> str:
        """Its `ip:port`."""
        return f"{HOST}:{self.port}"

    def url(self, size: int) -> str:
        """The link to a body of `size` bytes; every such body is the same."""
        return f"http://{self.pair}/{size}"

    def seconds(self, size: int) -> float:
        """How long a client that throws all away takes for a body."""
        began = time.perf_counter()
        for _ in self._pieces(size):
            pass
        return time.perf_counter() - began

    def sha256(self, size: int) -> str:
        """The digest of a body, in hexadecimal."""
        digest = sha256()
        for piece in self._pieces(size):
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self, size: int) -> Iterator[memoryview]:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=60)
        room = memoryview(bytearray(_READ_BYTES))
        try:
            connection.request("GET", f"/{size}")
            answer = connection.getresponse()
            while count := answer.readinto(room):
                yield room[:count]
        finally:
            connection.close()


@contextmanager
def started(folder: Path) -> Iterator[Source]:
    """A source as a process of its own, stopped at the end. Raises StartError."""
    process, port = Process("source", folder), free_port()
    process.start([sys.executable, "-m", "bench.source", str(port)], os.environ, detach=False)
    try:
        limit = time.monotonic() + START_SECONDS
        while call(port, "GET", "/0")[0] != 200:
            if not process.alive() or time.monotonic() > limit:
                raise StartError(f"The source did not start:\n{process.log_tail()}")
            time.sleep(0.1)
        yield Source(port)
    finally:
        stop_all([process])


def serve(port: int) -> None:
    """Serve random bytes on the loopback address until the process ends."""
    Handler.memory = os.memfd_create("body")
    for _ in range(BLOCK_BYTES // _SEND_BYTES):
        os.write(Handler.memory, os.urandom(_SEND_BYTES))
    server = ThreadingHTTPServer((HOST, port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
