"""A small HTTP server on loopback that asks one function for every answer."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True)
class Reply:
    """One HTTP answer of `size` bytes."""

    status: int
    content_type: str
    size: int
    chunks: Iterable[bytes]

    @classmethod
    def of(cls, status: int, content_type: str, body: bytes) -> "Reply":
        """An answer whose whole body is at hand."""
        return cls(status, content_type, len(body), (body,))


Answer = Callable[[str, str, str], Reply]
"""From method, target as sent, and Authorization header (empty without one) to the reply."""


class Server:
    """Holds a free port of 127.0.0.1 from its making; answers from `start` to `stop`."""

    def __init__(self) -> None:
        self._http = _Listener(("127.0.0.1", 0), _Handler)
        self._thread = Thread(target=self._http.serve_forever, name="demo-provider", daemon=True)

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._http.server_port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://{self.address}"

    @property
    def last_sent(self) -> float:
        """The instant (of `time.monotonic`) at which the last piece of a body was sent."""
        return self._http.last_sent

    def start(self, answer: Answer) -> None:
        """Begin to answer."""
        self._http.answer = answer
        self._thread.start()

    def stop(self) -> None:
        """Stop and free the port; a server that was never started only frees it."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128
    block_on_close = False

    answer: Answer
    last_sent = 0.0


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    protocol_version = "HTTP/1.1"
    timeout = 60

    def _reply(self) -> None:
        reply = self.server.answer(self.command, self.path, self.headers.get("Authorization", ""))
        try:
            self._send(reply)
        except ConnectionError:  # the client left: its right, and nobody is there to be told
            self.close_connection = True

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(reply.size))
        self.end_headers()
        if self.command == "HEAD":
            return
        for chunk in reply.chunks:
            self.wfile.write(chunk)
            self.server.last_sent = time.monotonic()

    do_GET = do_HEAD = _reply  # noqa: N815 (the names that http.server calls)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the parent's parameter)
        """Log nothing: a request line holds the link, which is a credential."""
