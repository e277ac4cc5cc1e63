"""A way to a real server: it takes its time, and it can be shut and opened again."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from threading import Thread
from typing import Any

PIECE = 65536


class Way:
    """Everything that is sent to the server arrives `delay` seconds later; what comes back takes no time.

    Each piece has its own time, so that pieces which are sent together also arrive together.
    """

    def __init__(self, host: str, port: int, delay: float = 0.0) -> None:
        self.delay = delay
        self._server = (host, port)
        self._loop = asyncio.new_event_loop()
        self._door: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port = self._wait(self._listen(0))

    def shut(self) -> None:
        """Cut every connection, and refuse new ones."""
        self._wait(self._shut())

    def open(self) -> None:
        """Let callers through again, at the same port."""
        self._wait(self._listen(self.port))

    def close(self) -> None:
        """Shut for ever."""
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self, port: int) -> int:
        self._door = await asyncio.start_server(self._carry, "127.0.0.1", port, backlog=512)
        found: int = self._door.sockets[0].getsockname()[1]
        return found

    async def _shut(self) -> None:
        if self._door:
            self._door.close()
        for end in self._ends:
            end.transport.abort()
        while self._ends:
            await asyncio.sleep(0.01)

    async def _carry(self, hears: asyncio.StreamReader, says: asyncio.StreamWriter) -> None:
        try:
            far_hears, far_says = await asyncio.open_connection(*self._server)
        except OSError:
            says.transport.abort()
            return
        ends = {says, far_says}
        self._ends |= ends
        try:
            await asyncio.gather(self._pass_on(hears, far_says, is_slow=True), self._pass_on(far_hears, says))
        finally:
            self._ends -= ends

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, is_slow: bool = False) -> None:
        due = 0.0
        try:
            while piece := await source.read(PIECE):
                due = max(due, self._loop.time() + self.delay * is_slow)
                self._loop.call_at(due, partial(_say, sink, piece))
        except OSError:
            sink.transport.abort()
            return
        self._loop.call_at(max(due, self._loop.time()), sink.close)


def _say(sink: asyncio.StreamWriter, piece: bytes) -> None:
    if not sink.transport.is_closing():
        sink.write(piece)
