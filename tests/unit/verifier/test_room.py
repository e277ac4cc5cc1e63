"""The room for copies: a budget that is kept, in turns, and that nobody waits for without end."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from services.verifier.__main__ import _place
from services.verifier.room import Room
from shared.errors import LeaseLost, UsageError
from shared.settings import Settings


def no_check() -> None:
    """A lease that is held."""


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        time.sleep(0.005)


def test_copies_never_take_more_together_than_the_room_has() -> None:
    room, now, most = Room(10), [0], [0]

    def copy(size: int) -> None:
        with room.taken(size, no_check):
            now[0] += size
            most[0] = max(most[0], now[0])
            time.sleep(0.001)
            now[0] -= size

    with ThreadPoolExecutor(8) as tasks:
        list(tasks.map(copy, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 8))
    assert 5 <= most[0] <= 10


def test_a_large_copy_has_its_turn_before_the_small_ones_that_came_later() -> None:
    room, order, leave = Room(10), list[str](), Event()

    def copy(name: str, size: int) -> None:
        with room.taken(size, no_check):
            order.append(name)

    def first() -> None:
        with room.taken(5, no_check):
            leave.wait(20)

    with ThreadPoolExecutor(3) as tasks:
        tasks.submit(first)
        until(lambda: room._used)
        tasks.submit(copy, "large", 10)
        until(lambda: room._line)
        tasks.submit(copy, "small", 1)
        until(lambda: len(room._line) == 2)
        leave.set()
    assert order == ["large", "small"]


def test_a_copy_larger_than_the_room_is_let_in_alone() -> None:
    with Room(10).taken(11, no_check):
        pass


def test_a_task_that_lost_its_lease_stops_waiting_and_leaves_the_line_to_others() -> None:
    room = Room(10)

    def lost() -> None:
        raise LeaseLost

    with room.taken(10, no_check), pytest.raises(LeaseLost), room.taken(1, lost):
        pytest.fail("there was no room")
    with room.taken(10, no_check):
        pass


def test_a_copy_that_failed_gives_its_room_back() -> None:
    room = Room(10)
    with pytest.raises(OSError, match="disk"), room.taken(10, no_check):
        raise OSError("disk")
    with room.taken(10, no_check):
        pass


def test_a_verifier_without_room_for_the_largest_output_does_not_start() -> None:
    settings = Settings(database_url="x", amqp_url="x", work_bytes=10, max_object_bytes=11)
    with pytest.raises(UsageError, match="OUTLAST_WORK_BYTES"):
        _place(settings)
