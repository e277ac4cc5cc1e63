"""The receiving side of a connection, where every wait ends at the earliest limit."""

import io
import socket
import ssl
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from shared.errors import Failure, Stopping
from shared.reasons import Reason

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_SLICE_SECONDS = 0.5
"""How late the wish to stop may be seen."""

_BUFFER_BYTES = 64 * 1024


class Wire(io.RawIOBase):
    """Raw bytes from a connected socket.

    A read raises Failure(STALLED) after `idle_seconds` of silence or at `deadline` (monotonic), Stopping when
    `stopping()` says so, and Failure of `broken` when the connection breaks.
    """

    def __init__(self, sock: socket.socket, idle_seconds: float, deadline: float, stopping: Callable[[], bool]) -> None:
        super().__init__()
        self._socket = sock
        self._idle_seconds = idle_seconds
        self._stopping = stopping
        self._polling = False
        self.deadline = deadline
        self.phase = "head"
        self.broken = Reason.SOURCE_UNAVAILABLE
        self.reader = io.BufferedReader(self, _BUFFER_BYTES)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        """Wait for bytes and put them into `buffer`; 0 at the end."""
        if self._polling:
            return self._poll(buffer)
        until = min(monotonic() + self._idle_seconds, self.deadline)
        while not self._stopping():
            left = until - monotonic()
            if left <= 0:
                raise Failure(Reason.STALLED, {"phase": self.phase})
            try:
                self._socket.settimeout(min(left, _SLICE_SECONDS))
                return self._socket.recv_into(buffer)
            except TimeoutError:
                continue
            except OSError as error:
                raise Failure(self.broken, {"phase": self.phase, "error": type(error).__name__}) from None
        raise Stopping

    def surplus(self) -> bytes:
        """What has arrived and was not read, without waiting."""
        self._polling = True
        try:
            return self.reader.peek(1)
        finally:
            self._polling = False

    def _poll(self, buffer: "WriteableBuffer") -> int | None:
        try:
            self._socket.settimeout(0)
            return self._socket.recv_into(buffer)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None
        except OSError:
            return 0
