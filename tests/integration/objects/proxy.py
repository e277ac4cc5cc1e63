"""An HTTP proxy in front of a real S3 server that can refuse, lose, change and hold what passes."""

import http.client
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import urlsplit


@dataclass
class Answer:
    """An HTTP answer on its way to the client."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    """Bytes of the body after which the connection is closed."""


@dataclass(frozen=True)
class Request:
    """A request of the client; `forward` passes it on and brings the server's answer."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    forward: Callable[[], Answer]


Fault = Callable[[Request], Answer | None]
"""Makes the answer to a request; None closes the connection without one."""


def says(status: int, code: str = "", **headers: str) -> Fault:
    """The server is not asked, and the client gets an S3 error."""
    body = f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode() if code else b""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Answer(status, body, {"Content-Type": "application/xml", **names})


def lose_answer(request: Request) -> None:
    """The server does its work, and the client never hears of it."""
    request.forward()


def lose_request(_: Request) -> None:
    """Neither hears of the other."""


class Proxy:
    """Forwards to one server; the fault added last comes first, each for its number of times."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        assert parts.hostname
        self._upstream = (parts.hostname, parts.port or 80)
        self._rules: list[_Rule] = []
        self._lock = Lock()
        self.seen: list[Request] = []
        self.bytes_per_second: float | None = None
        self._server = _Server(self)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def fault(self, method: str, part: str, fault: Fault, times: int = 10**9) -> None:
        """Meet the next `times` requests of that method with `part` in their target by a fault."""
        self._rules.insert(0, _Rule(method, part, fault, times))

    def count(self, method: str, part: str) -> int:
        """Requests seen of that method with `part` in their target."""
        return sum(request.method == method and part in request.target for request in self.seen)

    def slow_down(self, bytes_per_second: float) -> None:
        """Read what clients send at this rate, with little room for what waits."""
        self.bytes_per_second = bytes_per_second
        self._server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Answer | None:
        """What the client gets."""
        fault = self._take(request)
        return fault(request) if fault else request.forward()

    def forward(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        """Ask the server, with exactly the headers of the client, as they are signed."""
        connection = http.client.HTTPConnection(*self._upstream, timeout=60)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), dict(answer.getheaders()))
        finally:
            connection.close()

    def _take(self, request: Request) -> Fault | None:
        with self._lock:
            self.seen.append(request)
            for rule in self._rules:
                if rule.left and rule.method == request.method and rule.part in request.target:
                    rule.left -= 1
                    return rule.fault
        return None


@dataclass
class _Rule:
    method: str
    part: str
    fault: Fault
    left: int


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:  # the client has gone, which is its right
            self.close_connection = True

    def _serve(self) -> None:
        proxy, headers, body = self.server.proxy, dict(self.headers.items()), self._body()
        request = Request(
            self.command,
            self.path,
            headers,
            body,
            lambda: proxy.forward(self.command, self.path, headers, body),
        )
        answer = proxy.answer(request)
        if answer is None:
            self.close_connection = True
        else:
            self._send(answer)

    def _body(self) -> bytes:
        left = int(self.headers.get("Content-Length", "0"))
        rate, pieces = self.server.proxy.bytes_per_second, []
        while left:
            piece = self.rfile.read(min(left, 64 * 1024))
            if not piece:
                raise ConnectionResetError
            pieces.append(piece)
            left -= len(piece)
            if rate:
                time.sleep(len(piece) / rate)
        return b"".join(pieces)

    def _send(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                self.send_header(name, value)
        length = answer.headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(answer.body))
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: answer.cut_after])
        if answer.cut_after is not None:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 (the names http.server asks for)
