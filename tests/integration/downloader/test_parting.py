"""A transfer whose process is asked to end: finished if it fits into the time that is left, else ended at once."""

import time
from hashlib import sha256

import pytest

from services.downloader.order import Limits
from services.downloader.parting import COMPLETING_SECONDS
from shared.errors import Stopping
from tests.faults.answers import chunks, head, in_turn
from tests.faults.server import FaultServer, Line, Script
from tests.faults.sinks import MemorySink
from tests.integration.downloader.acts import VIDEO, Act
from tests.integration.downloader.parts import TAG, asked_start

PIECES = 40
EVERY = 0.05
HALF = len(VIDEO) // 2
REST_SECONDS = PIECES * EVERY / 2


class Stop:
    """The wish to stop, which comes once so many bytes have arrived."""

    def __init__(self, seconds: float, after: int = HALF) -> None:
        self._seconds, self._after = seconds, after
        self.at: float | None = None
        self.left_at_end = 0.0

    def progress(self, wire_bytes: int) -> None:
        if self.at is None and wire_bytes >= self._after:
            self.at = time.monotonic() + self._seconds

    def seconds_to_stop(self) -> float | None:
        return None if self.at is None else self.at - time.monotonic()

    def run(self, script: Script, sink: MemorySink) -> None:
        act = Act(script, limits=Limits(min_bytes_per_second=0.0, resume_pause_seconds=0.0))
        act.policy = type(act.policy)(http=True, idle_seconds=30.0)
        try:
            with FaultServer(script) as server:
                act.run(server, sink, progress=self.progress, seconds_to_stop=self.seconds_to_stop)
        finally:
            assert self.at is not None, "the wish to stop came too late to mean anything"
            self.left_at_end = self.at - time.monotonic()


def steady(line: Line) -> None:
    line.send(head(200, f"Content-Length: {len(VIDEO)}"))
    line.drip(VIDEO, EVERY, len(VIDEO) // PIECES)


def steady_of_unknown_length(line: Line) -> None:
    line.send(head(200, "Transfer-Encoding: chunked"))
    for start in range(0, len(VIDEO), len(VIDEO) // PIECES):
        line.drip(chunks([VIDEO[start : start + len(VIDEO) // PIECES]]), EVERY, len(VIDEO))


def slowing(seconds_per_piece: float) -> Script:
    def lead(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(VIDEO)}"))
        line.drip(VIDEO[:HALF], EVERY, len(VIDEO) // PIECES)
        line.drip(VIDEO[HALF:], seconds_per_piece, 1)

    return lead


def broken_half_way(line: Line) -> None:
    line.send(head(200, f"Content-Length: {len(VIDEO)}", TAG))
    line.drip(VIDEO[: HALF + 1000], EVERY, len(VIDEO) // PIECES)


def slow_rest(every: float) -> Script:
    def lead(line: Line) -> None:
        start = asked_start(line)
        rest = VIDEO[start:]
        said = f"Content-Range: bytes {start}-{len(VIDEO) - 1}/{len(VIDEO)}"
        line.send(head(206, f"Content-Length: {len(rest)}", said, TAG))
        line.drip(rest, every, len(VIDEO) // PIECES)

    return lead


def test_fr78_and_case_66_a_transfer_that_fits_into_the_time_left_is_finished() -> None:
    sink, stop = MemorySink(), Stop(COMPLETING_SECONDS + 3 * REST_SECONDS)
    stop.run(steady, sink)
    assert (sink.completed, sink.aborts) == (True, 0)
    assert sha256(sink.data).digest() == sha256(VIDEO).digest()
    assert stop.left_at_end >= COMPLETING_SECONDS


@pytest.mark.parametrize(
    ("script", "seconds"),
    [(steady, COMPLETING_SECONDS + 0.3 * REST_SECONDS), (steady_of_unknown_length, 60.0)],
    ids=["too long", "of unknown length"],
)
def test_fr78_and_case_66_any_other_transfer_ends_at_once(script: Script, seconds: float) -> None:
    sink, stop = MemorySink(), Stop(seconds)
    with pytest.raises(Stopping):
        stop.run(script, sink)
    assert (sink.completed, sink.aborts) == (False, 1)
    assert stop.left_at_end > seconds - 0.5


@pytest.mark.parametrize("seconds_per_piece", [0.3, 30.0], ids=["slow", "silent"])
def test_a_transfer_that_slows_down_after_the_wish_to_stop_ends_in_time(seconds_per_piece: float) -> None:
    sink, stop = MemorySink(), Stop(COMPLETING_SECONDS + 2 * REST_SECONDS)
    with pytest.raises(Stopping):
        stop.run(slowing(seconds_per_piece), sink)
    assert (sink.completed, sink.aborts) == (False, 1)
    assert COMPLETING_SECONDS - 0.6 <= stop.left_at_end <= COMPLETING_SECONDS + 2 * REST_SECONDS


def test_fr78_and_case_66_a_resumed_transfer_is_measured_over_both_its_parts() -> None:
    sink, stop = MemorySink(), Stop(COMPLETING_SECONDS + 4 * REST_SECONDS)
    stop.run(in_turn(broken_half_way, slow_rest(EVERY)), sink)
    assert sha256(sink.data).digest() == sha256(VIDEO).digest()
    sink, stop = MemorySink(), Stop(COMPLETING_SECONDS + 0.3 * REST_SECONDS, after=HALF + 200_000)
    with pytest.raises(Stopping):
        stop.run(in_turn(broken_half_way, slow_rest(3 * EVERY)), sink)
    assert (sink.completed, sink.aborts) == (False, 1)
