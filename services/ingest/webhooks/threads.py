"""A few threads for work that blocks, behind an event loop that must not."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

WAIT_SECONDS = 0.25
"""How long a request waits for a free thread; whoever is sent away soon comes again, and is answered in good time."""
ANSWER_SECONDS = 4.0
"""How long it waits for the work: Luma, the most impatient, gives a webhook 5 s (docs.lumalabs.ai)."""

Result = TypeVar("Result")


class Busy(Exception):  # noqa: N818 (an outcome, not a programming error)
    """There was no free thread, or the work took too long; then it goes on, and whoever comes again finds it done."""


class Threads:
    """So many threads. None of them waits for another's work, so no work may be queued behind them either."""

    def __init__(self, name: str, number: int) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._free = asyncio.Semaphore(number)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run some work and return what it does. Raises Busy."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            raise Busy from None
        done = asyncio.get_running_loop().run_in_executor(self._pool, work)
        done.add_done_callback(lambda _: self._free.release())
        finished, _ = await asyncio.wait({done}, timeout=ANSWER_SECONDS)
        if not finished:
            done.add_done_callback(_tell)
            raise Busy
        return done.result()


def _tell(done: asyncio.Future[Result]) -> None:
    """Take a late outcome, of which nobody else will ask."""
    if not done.cancelled():
        done.exception()
