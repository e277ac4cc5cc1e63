"""Threads behind the loop: who would wait too long is sent away at once, and whoever is slow holds up his own alone."""

import asyncio
from threading import Event
from time import monotonic, sleep

import pytest

from services.ingest.webhooks import threads
from services.ingest.webhooks.threads import PROMPT_SECONDS, Busy, Threads


def test_work_is_done_and_what_it_raises_is_raised() -> None:
    async def both() -> tuple[int, str]:
        pool = Threads("t", 1)
        try:
            await pool.run(lambda: 1 // 0)
        except ZeroDivisionError as error:
            return await pool.run(lambda: 7), str(error)
        raise AssertionError

    assert asyncio.run(both()) == (7, "integer division or modulo by zero")


def test_quick_work_may_queue_and_slow_work_may_not() -> None:
    async def room_after(seconds: float) -> int:
        """For how many there is room while each takes so long."""
        pool = Threads("t", 2)
        for _ in range(20):
            await asyncio.gather(*(pool.run(lambda: sleep(seconds)) for _ in range(2)))
        waiting, number = [], 0
        while pool.has_room() and number < 50:
            waiting.append(asyncio.create_task(pool.run(lambda: sleep(seconds))))
            await asyncio.sleep(0)
            number += 1
        await asyncio.gather(*waiting, return_exceptions=True)
        return number

    assert asyncio.run(room_after(0.001)) == 50
    assert 2 <= asyncio.run(room_after(PROMPT_SECONDS / 2)) <= 5


def test_nobody_waits_for_a_thread_that_does_not_come_free() -> None:
    async def late() -> float:
        pool, held = Threads("t", 1), Event()
        first = asyncio.create_task(pool.run(lambda: held.wait(30)))
        await asyncio.sleep(0.05)
        began = monotonic()
        with pytest.raises(Busy):
            await pool.run(lambda: True)
        took = monotonic() - began
        held.set()
        assert await first
        assert await pool.run(lambda: True), "it is of use again"
        return took

    assert asyncio.run(late()) < PROMPT_SECONDS


def test_work_that_is_not_waited_for_any_more_holds_its_thread_until_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "ANSWER_SECONDS", 0.05)

    async def late() -> bool:
        pool, held = Threads("t", 1), Event()
        for _ in range(2):
            with pytest.raises(Busy):
                await pool.run(lambda: held.wait(30))
        held.set()
        while not pool.has_room():
            await asyncio.sleep(0.01)
        return await pool.run(lambda: True)

    assert asyncio.run(late())
