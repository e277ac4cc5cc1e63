"""The slowest transfer that is put up with, measured in time spent waiting for the source."""

from collections.abc import Callable, Iterator
from time import monotonic

from shared.errors import Failure
from shared.reasons import Reason


def paced(
    blocks: Iterator[bytes],
    least_per_second: float,
    window_seconds: float,
    clock: Callable[[], float] = monotonic,
) -> Iterator[bytes]:
    """The same blocks; raises Failure(STALLED) when one window brings fewer bytes than the least.

    Windows follow one another, so that a fast beginning buys no slow end. The time that the reader takes is
    not the source's fault and does not count.
    """
    waited, received = 0.0, 0
    while True:
        began = clock()
        block = next(blocks, None)
        waited += clock() - began
        if block is None:
            return
        received += len(block)
        if waited >= window_seconds:
            if received < least_per_second * waited:
                raise Failure(Reason.STALLED, {"phase": "body", "bytes_per_second": round(received / waited, 1)})
            waited, received = 0.0, 0
        yield block
