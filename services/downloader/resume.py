"""A body read to its end, over further connections when it breaks off and the rest can be had safely."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic, sleep

from services.downloader.evidence import Sighting
from services.downloader.order import Limits
from services.downloader.pace import paced
from services.downloader.ranges import Anchor, NotTheRest, anchor_of, length_of_rest
from shared.egress import Answer
from shared.errors import Failure, Stopping
from shared.reasons import Reason

_BROKEN_OFF = (Reason.TRUNCATED, Reason.STALLED)
_SLICE_SECONDS = 0.5
"""How late the wish to stop may be seen."""


@dataclass(frozen=True)
class Body:
    """Reads the body that one good answer begins.

    `ask` sends the order's request again with further headers, in place of the one before; `has_ended` tells
    whether the link's life is over; `until` (monotonic) ends every wait.
    """

    limits: Limits
    seen: Sighting
    ask: Callable[[Mapping[str, str]], Answer]
    stopping: Callable[[], bool]
    has_ended: Callable[[], bool]
    until: float

    def blocks(self, answer: Answer) -> Iterator[bytes]:
        """All bytes of the body that `answer` begins, and none of any other.

        Raises the Failure with which it broke off where it cannot be resumed, or where the source answers with
        anything but the rest: its evidence then says `resume_refused`.
        """
        anchor, blocks, got = anchor_of(answer), self._paced(answer), 0
        while True:
            start = got
            try:
                for block in blocks:
                    got += len(block)
                    yield block
                if anchor is None or got == anchor.total:
                    return
                failure = Failure(Reason.TRUNCATED, {"phase": "body", "missing_bytes": anchor.total - got})
            except Failure as broken_off:
                failure = broken_off
            if anchor is None or got == start or not self._may_resume(failure):
                raise failure
            blocks = self._rest(anchor, got, failure)

    def _paced(self, answer: Answer) -> Iterator[bytes]:
        stream = answer.stream(until=self.until)
        return paced(stream, self.limits.min_bytes_per_second, self.limits.pace_seconds)

    def _may_resume(self, failure: Failure) -> bool:
        has_time = monotonic() < self.until and not self.has_ended()
        return failure.reason in _BROKEN_OFF and self.seen.resumes < self.limits.resumes and has_time

    def _rest(self, anchor: Anchor, start: int, broken_off: Failure) -> Iterator[bytes]:
        self.seen.resumes += 1
        _pause(self.limits.resume_pause_seconds, self.stopping)
        try:
            answer = self.ask({"Range": f"bytes={start}-", "If-Range": anchor.validator})
            length = length_of_rest(answer, anchor, start)
            yield from _at_most(length, self._paced(answer))
        except NotTheRest as not_the_rest:
            why = not_the_rest.why
        except Failure as failure:
            if failure.reason in _BROKEN_OFF:
                raise
            why = str(failure.reason)
        else:
            return
        # A source may refuse a range for reasons that say nothing of the link, so this must not end the task.
        raise Failure(broken_off.reason, {**broken_off.evidence, "resume_refused": why})


def _at_most(length: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        length -= len(block)
        if length < 0:
            raise Failure(Reason.PROTOCOL_VIOLATION, {"violation": "surplus"})
        yield block


def _pause(seconds: float, stopping: Callable[[], bool]) -> None:
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        if stopping():
            raise Stopping
        sleep(min(left, _SLICE_SECONDS))
