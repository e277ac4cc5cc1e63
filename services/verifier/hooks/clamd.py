"""The client of clamd: one command for each connection, as clamd(8) has them."""

import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from shared.errors import Failure
from shared.reasons import Reason

CHUNK_BYTES = 128 * 1024
MAX_REPLY_BYTES = 4096
CONNECT_SECONDS = 5.0


class Clamd:
    """The scanner at an address, `unix:/path` or `tcp:host:port`; safe to use from several threads.

    Every method raises Failure(SCANNER) if it does not answer within `seconds` of silence.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self._address, self._seconds = address, seconds

    def ping(self) -> None:
        """Return if it answers."""
        if (reply := self._ask(b"PING")) != "PONG":
            raise trouble(reply)

    def version(self) -> str:
        """Engine, number and date of its signature database: `ClamAV 1.4.6/27500/Mon Dec  1 09:00:00 2026`."""
        return printable(self._ask(b"VERSION"))

    def scan(self, path: Path) -> str:
        """What it says of a file: `stream: OK`, `stream: NAME FOUND`, or `... ERROR`."""
        with path.open("rb") as file:
            return self._ask(b"INSTREAM", iter(partial(file.read, CHUNK_BYTES), b""))

    def _ask(self, command: bytes, body: Iterable[bytes] | None = None) -> str:
        try:
            with self._connect() as connection:
                connection.sendall(b"z" + command + b"\0")
                if body is not None:
                    _send(connection, body)
                reply = _received(connection)
        except OSError as error:
            raise trouble(type(error).__name__) from None
        if not reply.endswith(b"\0"):
            raise trouble("it hung up in the middle of an answer")
        return reply[:-1].decode("utf-8", "replace")

    def _connect(self) -> socket.socket:
        kind, _, place = self._address.partition(":")
        if kind == "unix":
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(CONNECT_SECONDS)
            try:
                connection.connect(place)
            except OSError:
                connection.close()
                raise
        else:
            host, _, port = place.rpartition(":")
            connection = socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS)
        connection.settimeout(self._seconds)
        return connection


def trouble(what: str) -> Failure:
    """The failure of the scanner, with what was seen or said."""
    return Failure(Reason.SCANNER, {"detail": f"clamd: {printable(what)}"})


def printable(text: str) -> str:
    """At most 200 characters of printable ASCII."""
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text[:200])


def _send(connection: socket.socket, body: Iterable[bytes]) -> None:
    # At its limit clamd answers and hangs up while we are still sending: then its answer is what counts.
    with suppress(BrokenPipeError, ConnectionResetError):
        for chunk in body:
            connection.sendall(len(chunk).to_bytes(4, "big") + chunk)
        connection.sendall(bytes(4))


def _received(connection: socket.socket) -> bytes:
    reply = b""
    while not reply.endswith(b"\0") and len(reply) < MAX_REPLY_BYTES:
        part = connection.recv(MAX_REPLY_BYTES)
        if not part:
            break
        reply += part
    return reply
