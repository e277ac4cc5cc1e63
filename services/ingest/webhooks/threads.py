"""A few threads for work that blocks, behind an event loop that must not."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic
from typing import TypeVar

PROMPT_SECONDS = 0.7
"""An answer takes about so long at most while all is well; whoever would wait longer for a thread is sent away."""
LEAST_SECONDS = 0.05
"""Time for which a request waits for a free thread in any case."""
ANSWER_SECONDS = 4.0
"""How long it waits for the work: Luma, the most impatient, gives a webhook 5 s (docs.lumalabs.ai)."""
WEIGHT = 0.2
"""Of the latest work, in what work is expected to take."""

Result = TypeVar("Result")


class Busy(Exception):  # noqa: N818 (an outcome, not a programming error)
    """There was no free thread, or the work took too long; then it goes on, and whoever comes again finds it done."""


class Threads:
    """So many threads, which work only on what somebody waits for."""

    def __init__(self, name: str, number: int) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._number = number
        self._free = asyncio.Semaphore(number)
        self._inside = 0
        self._usual_seconds = PROMPT_SECONDS / 2

    def has_room(self) -> bool:
        """Whether one more piece of work would be done in good time, as things go."""
        # Little's law: so many are inside where each leaves after that time.
        return self._inside < self._number * max(PROMPT_SECONDS / self._usual_seconds, 1.0)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run some work and return what it does. Raises Busy."""
        self._inside += 1
        try:
            async with asyncio.timeout(max(PROMPT_SECONDS - self._usual_seconds, LEAST_SECONDS)):
                await self._free.acquire()
        except TimeoutError:
            self._inside -= 1
            raise Busy from None
        done = asyncio.get_running_loop().run_in_executor(self._pool, work)
        done.add_done_callback(partial(self._end, monotonic()))
        finished, _ = await asyncio.wait({done}, timeout=ANSWER_SECONDS)
        if not finished:
            raise Busy
        return done.result()

    def _end(self, since: float, done: asyncio.Future[Result]) -> None:
        self._inside -= 1
        self._free.release()
        self._usual_seconds += WEIGHT * (monotonic() - since - self._usual_seconds)
        if not done.cancelled():
            # Taken here, as nobody may ask for a late outcome.
            done.exception()
