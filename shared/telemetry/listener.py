"""A bounded HTTP server for a few pages of text."""

import socket
import socketserver
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import structlog

SILENCE_SECONDS = 5.0
"""Limit for the silence of a client."""
MAX_CONNECTIONS = 32
TEXT = "text/plain; charset=utf-8"

log = structlog.get_logger(__name__)

Answer = tuple[int, str, bytes]
"""Status, content type, body."""
Pages = Mapping[str, Callable[[], Answer]]
"""What each path answers."""


class Listener(socketserver.ThreadingTCPServer):
    """A thread per connection; the oldest connection makes room for one too many."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, host: str, port: int, pages: Pages) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.pages = pages
        self._open: dict[socket.socket, None] = {}
        self._changing = threading.Lock()
        super().__init__((host, port), Request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a connection."""
        with self._changing:
            self._open[request] = None
            _end(list(self._open)[:-MAX_CONNECTIONS])
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection from its own thread."""
        with self._changing:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """Listen no more, and end what is open."""
        super().server_close()
        with self._changing:
            _end(self._open)

    def handle_error(self, *_: Any) -> None:
        """Log what the library would print."""
        error = sys.exc_info()[1]
        tell = log.debug if isinstance(error, OSError) else log.warning
        tell("http_connection_failed", error=error)


def _end(connections: Iterable[socket.socket]) -> None:
    """Let the threads of these connections see the end of their input."""
    for connection in connections:
        # It may have ended by itself.
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


class Request(BaseHTTPRequestHandler):
    """One request, then the connection ends."""

    protocol_version = "HTTP/1.1"
    timeout = SILENCE_SECONDS
    server: Listener

    def do_GET(self) -> None:
        """Answer with the page of this path."""
        page = self.server.pages.get(self.path.partition("?")[0])
        if page is None:
            return self._answer(404, TEXT, b"not found\n")
        try:
            answer = page()
        except Exception as error:  # noqa: BLE001 (a page that fails must not end the service)
            log.warning("http_page_failed", error=error)
            answer = 500, TEXT, b"failed; the log says why\n"
        return self._answer(*answer)

    def send_error(self, code: int, *_: object) -> None:
        """Refuse a bad request, without a word of it in the answer."""
        # By 501 the library means that there is no do_<METHOD>.
        self._answer(405 if code == 501 else code, TEXT, b"refused\n")

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Allow": "GET",
        }
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        """The Server header."""
        return "outlast"

    def log_message(self, *_: object) -> None:
        """Nothing: probes and scrapes are not worth a line."""
