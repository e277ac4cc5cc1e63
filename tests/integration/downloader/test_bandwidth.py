"""Transfers under a limit of our own: slower, but neither stalled nor deaf to the wish to stop."""

import time
from hashlib import sha256
from threading import Event, Timer

import pytest

from services.downloader.bandwidth import Bandwidth
from services.downloader.order import Limits
from shared.errors import Stopping
from tests.faults.answers import answer
from tests.faults.server import FaultServer
from tests.faults.sinks import MemorySink
from tests.integration.downloader.acts import VIDEO, Act

SECONDS = 2.0
LIMIT = round(len(VIDEO) / SECONDS)


def test_our_own_limit_is_no_stall_of_the_source() -> None:
    """The source is fast, so that it keeps a pace and a total time far beyond our limit."""
    limits = Limits(
        total_seconds=0.5,
        share_bytes_per_second=LIMIT / 2,
        pace_seconds=0.2,
        min_bytes_per_second=10 * LIMIT,
        resumes=0,
    )
    sink = MemorySink()
    with FaultServer(answer(VIDEO)) as server:
        began = time.monotonic()
        received = Act(answer(), limits=limits).run(server, sink, bandwidth=Bandwidth(LIMIT))
        took = time.monotonic() - began
    assert received.sha256 == sha256(VIDEO).hexdigest()
    assert 0.8 <= len(VIDEO) / took / LIMIT <= 1.1


def test_the_wish_to_stop_ends_a_transfer_that_waits_for_our_own_limit() -> None:
    stop, sink = Event(), MemorySink()
    with FaultServer(answer(VIDEO)) as server:
        timer = Timer(0.3, stop.set)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopping):
            Act(answer()).run(
                server, sink, bandwidth=Bandwidth(1000), seconds_to_stop=lambda: 30.0 if stop.is_set() else None
            )
        timer.join()
    assert time.monotonic() - began <= 1.0
    assert (sink.completed, sink.aborts) == (False, 1)
