"""The rate that all transfers of a process keep together."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer

import pytest

from services.downloader.bandwidth import UNLIMITED, Bandwidth
from shared.errors import Stopping

RATE = 2_000_000
BLOCK = bytes(50_000)


def never() -> bool:
    return False


def blocks(number: int, every: float = 0.0) -> Iterator[bytes]:
    for _ in range(number):
        time.sleep(every)
        yield BLOCK


def rate_of(bandwidth: Bandwidth, transfers: int, number: int, every: float = 0.0) -> float:
    """Bytes per second that so many transfers of so many blocks get together."""

    def work(_: int) -> int:
        return sum(len(block) for block in bandwidth.through(blocks(number, every), never))

    began = time.monotonic()
    with ThreadPoolExecutor(transfers) as pool:
        total = sum(pool.map(work, range(transfers)))
    return total / (time.monotonic() - began)


@pytest.mark.parametrize(("transfers", "number"), [(1, 60), (4, 15)])
def test_transfers_together_keep_the_limit_and_use_it(transfers: int, number: int) -> None:
    assert 0.8 <= rate_of(Bandwidth(RATE), transfers, number) / RATE <= 1.1


def test_time_that_nobody_used_is_not_made_up_for_later() -> None:
    bandwidth = Bandwidth(RATE)
    time.sleep(1.0)
    assert rate_of(bandwidth, 2, 20) / RATE <= 1.15


def test_a_source_that_is_slower_than_the_limit_is_not_slowed_down() -> None:
    slow = len(BLOCK) / 0.05
    assert rate_of(Bandwidth(10 * RATE), 1, 20, every=0.05) >= 0.8 * slow


def test_without_a_limit_the_blocks_pass_as_they_are() -> None:
    given = blocks(3)
    assert UNLIMITED.through(given, never) is given


def test_the_wish_to_stop_is_seen_within_half_a_second_however_long_the_wait() -> None:
    stop = Event()
    timer = Timer(0.3, stop.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Stopping):
        next(Bandwidth(1).through(blocks(1), stop.is_set))
    timer.join()
    assert time.monotonic() - began <= 0.8
