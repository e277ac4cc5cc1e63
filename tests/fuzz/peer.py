"""A source at the level of its socket: it sends prepared bytes exactly as they are, and reads requests strictly."""

import itertools
import re
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Event, Thread
from typing import Literal

HOST = "127.88.0.1"
"""A loopback address that no other test uses, so that no client of theirs comes by when a port is used again."""
_PATIENCE_SECONDS = 5.0
_REQUEST = re.compile(
    rb"GET /[!-~]* HTTP/1\.1\r\n"
    rb"(?:(?:host|user-agent|accept|connection|accept-encoding|range|if-range|authorization): [ -~]+\r\n){5,8}\r\n"
)
_TLS_HELLO = b"\x16"


@dataclass(frozen=True)
class Reply:
    """One answer: its bytes, where they are split into sends, a pause between those, and how it ends."""

    data: bytes
    cuts: tuple[int, ...] = ()
    pause_seconds: float = 0.0
    end: Literal["fin", "reset", "hold"] = "fin"

    def pieces(self) -> Iterator[bytes]:
        """The data, split."""
        edges = (0, *sorted(cut for cut in self.cuts if 0 < cut < len(self.data)), len(self.data))
        return (self.data[start:end] for start, end in itertools.pairwise(edges))


class Peer:
    """A server on loopback with one thread, for one client at a time."""

    def __init__(self) -> None:
        self._listener = socket.create_server((HOST, 0))
        self._replies: Sequence[Reply] = ()
        self._stopped = Event()
        self._served, self._count = Condition(), 0
        self._thread = Thread(target=self._accept, daemon=True)
        self.port: int = self._listener.getsockname()[1]
        self.sent: list[Reply] = []
        """What was sent since the last preparation, one for each request."""
        self.odd_requests: list[bytes] = []
        """Every request that was not one GET with known fields."""
        self._thread.start()

    def prepare(self, replies: Sequence[Reply]) -> None:
        """The nth reply is for the nth request from now on; the last one for all further ones."""
        self._replies, self.sent = replies, []

    def settle(self, connections: int) -> None:
        """Wait until that many connections in all have been served to their end."""
        with self._served:
            assert self._served.wait_for(lambda: self._count >= connections, 2 * _PATIENCE_SECONDS), "a peer hangs"

    def close(self) -> None:
        """End the thread."""
        self._stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(2 * _PATIENCE_SECONDS)
        self._listener.close()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            with suppress(OSError):
                sock, _ = self._listener.accept()
                with sock, suppress(OSError):
                    self._serve(sock)
                with self._served:
                    self._count += 1
                    self._served.notify_all()

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(_PATIENCE_SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = sock.recv(65536)
        while request and b"\r\n\r\n" not in request and not request.startswith(_TLS_HELLO):
            request += (more := sock.recv(65536))
            if not more:
                break
        if not request:
            return
        if not request.startswith(_TLS_HELLO) and not _REQUEST.fullmatch(request):
            self.odd_requests.append(request)
        reply = self._replies[min(len(self.sent), len(self._replies) - 1)]
        self.sent.append(reply)
        self._answer(sock, reply)

    def _answer(self, sock: socket.socket, reply: Reply) -> None:
        for piece in reply.pieces():
            sock.sendall(piece)
            if reply.pause_seconds:
                self._stopped.wait(reply.pause_seconds)
        if reply.end == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        if reply.end == "fin":
            sock.shutdown(socket.SHUT_WR)
        while sock.recv(65536):
            pass
