"""A TCP server on loopback whose every connection is led by a script, so that it can break HTTP in any way."""

import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from types import TracebackType
from typing import Self

CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class Request:
    """One request as it came; `head` is every byte of it before the body."""

    method: str
    target: str
    headers: dict[str, str]
    head: bytes = field(repr=False)
    body: bytes = field(repr=False)


class Line:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, number: int, stopped: Event) -> None:
        self.number = number
        """0 for the first connection of the server."""
        self.request: Request
        self._socket = sock
        self._stopped = stopped

    def read_request(self) -> Request:
        """Read one request; raises ConnectionError when the peer ends first."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._received()
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += self._received()
        return Request(method, target, headers, head, body)

    def send(self, *parts: bytes) -> None:
        """Send bytes."""
        for part in parts:
            self._socket.sendall(part)

    def drip(self, data: bytes, every: float, size: int = 1) -> None:
        """Send `size` bytes at a time with a pause of `every` seconds, until the end or the server's stop."""
        for start in range(0, len(data), size):
            self._socket.sendall(data[start : start + size])
            if self._stopped.wait(every):
                return

    def endless(self, block: bytes) -> None:
        """Send the block again and again, until the peer has gone."""
        while not self._stopped.is_set():
            self._socket.sendall(block)

    def hold(self) -> None:
        """Say nothing until the peer goes or the server stops."""
        while self._socket.recv(65536):
            pass

    def reset(self) -> None:
        """End the connection with RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def end(self) -> None:
        """End the connection with FIN, then wait for the peer's, so that no RST destroys what is on its way."""
        with suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_WR)
            self.hold()
        self._socket.close()

    def _received(self) -> bytes:
        if data := self._socket.recv(65536):
            return data
        raise ConnectionError


Script = Callable[[Line], None]
"""Leads one connection; `line.request` has been read, and FIN follows when it returns."""


class FaultServer:
    """Runs `script` for every connection; use it with `with`.

    `greets` leaves reading the request to the script, for faults before it. An exception in a script, other than
    a peer that has gone, is raised when the server closes.
    """

    def __init__(
        self,
        script: Script,
        *,
        tls: ssl.SSLContext | None = None,
        greets: bool = False,
        host: str = "127.0.0.1",
    ) -> None:
        self._script, self._tls, self._greets = script, tls, greets
        self._stopped = Event()
        self._threads: list[Thread] = []
        self._sockets: list[socket.socket] = []
        self._errors: list[BaseException] = []
        self._listener = socket.create_server((host, 0))
        self.host = host
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[Request] = []
        self.connections = 0

    @property
    def pair(self) -> tuple[str, int]:
        """Address and port, as an allow list wants them."""
        return self.host, self.port

    def url(self, path: str = "/", host: str | None = None) -> str:
        """A URL of this server."""
        return f"{'https' if self._tls else 'http'}://{host or self.host}:{self.port}{path}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        for sock in (self._listener, *self._sockets):
            # Wakes every thread that waits for this socket.
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(CLOSE_SECONDS)
        self._listener.close()
        if self._errors and error is None:
            raise self._errors[0]

    def _start(self, act: Callable[[], None]) -> None:
        thread = Thread(target=act, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._stopped.is_set():
                sock, _ = self._listener.accept()
                number, self.connections = self.connections, self.connections + 1
                self._start(partial(self._serve, sock, number))

    def _serve(self, sock: socket.socket, number: int) -> None:
        self._sockets.append(sock)
        # A peer that goes is what many scripts wait for.
        with suppress(OSError), sock:
            if self._tls is None:
                self._lead(Line(sock, number, self._stopped))
                return
            with self._tls.wrap_socket(sock, server_side=True) as wrapped:
                self._sockets.append(wrapped)
                self._lead(Line(wrapped, number, self._stopped))

    def _lead(self, line: Line) -> None:
        try:
            if not self._greets:
                line.request = line.read_request()
                self.requests.append(line.request)
            self._script(line)
            line.end()
        except OSError:
            raise
        except BaseException as error:
            self._errors.append(error)
            raise
