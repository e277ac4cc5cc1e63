"""The connections of the webhook door: patient with providers, and with nobody else."""

import asyncio
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""From the begin of a connection, or the end of an answer, until the next head must be there, and all before it."""
FILES = getrlimit(RLIMIT_NOFILE)[0]
MOST_CONNECTIONS = 2000 if FILES == RLIM_INFINITY else min(FILES // 2, 2000)
"""For one more the one that was silent longest makes room."""


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; by itself that waits for ever for a head, and for the rest of a refused body."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the library has it
        """Begin."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [each for each in self.connections if isinstance(each, Connection) and each.is_idle]
            oldest = min(idle, key=Connection.limit)
            self.connections.discard(oldest)
            oldest.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless that comes in the rest of a request which is answered."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    @property
    def is_idle(self) -> bool:
        """Whether no request is in progress."""
        return self.cycle is None or self.cycle.response_complete

    def limit(self) -> float:
        """The loop's time until which it may be silent."""
        return self._timer.when() if self._timer else 0.0

    def _wait(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._end_if_idle)

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _end_if_idle(self) -> None:
        if self.is_idle:
            self.transport.close()
