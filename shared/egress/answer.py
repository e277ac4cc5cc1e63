"""One answer of a source: its head as values, its body as a stream."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf

from shared.egress import body
from shared.egress.head import Framing, Head, Headers, framing
from shared.egress.trail import Hop, Trail
from shared.egress.wire import Wire
from shared.reasons import Reason

_AGE = re.compile(r"[0-9]{1,9}")


class Answer:
    """What came back, after all redirects; valid inside `with fetch(...)`.

    `framing` is how the body ends, `content_length` its bytes if announced, `credentialed` whether a
    credential was sent to the origin that answered, `clock_offset` the seconds its clock is ahead of ours.
    """

    def __init__(self, head: Head, wire: Wire, trail: Trail, *, credentialed: bool, deadline: float) -> None:
        self.status: int = head.status
        self.headers: Headers = head.headers
        self.credentialed = credentialed
        self.clock_offset = _clock_offset(head.headers)
        self._wire = wire
        self._trail = trail
        self._deadline = deadline
        self.framing: Framing
        self.framing, self.content_length = framing(head)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every request of the call, the one that was answered last."""
        return self._trail.hops

    def stream(self, *, until: float = inf) -> Iterator[bytes]:
        """The raw body (content coding untouched), once, in pieces of at most 256 KiB.

        It stalls at `until` (monotonic), if that is before the deadline of the call.
        Raises Failure: TRUNCATED, STALLED, PROTOCOL_VIOLATION; Stopping.
        """
        self._wire.phase, self._wire.broken = "body", Reason.TRUNCATED
        self._wire.deadline = min(self._deadline, until)
        return body.stream(self._wire, self.framing, self.content_length)

    def conceal(self, text: str) -> str:
        """`text` without any part of this call's URLs and credential."""
        return self._trail.conceal(text)


def _clock_offset(headers: Headers) -> float | None:
    age = headers.get("age", "")
    try:
        date = parsedate_to_datetime(headers.get("date", ""))
        # A cache tells the date on which the answer was made, and how many seconds ago that was.
        held = float(age) if _AGE.fullmatch(age) else 0.0
        # A date has whole seconds, so the middle of its second is the nearest guess.
        return (date.astimezone(UTC) - datetime.now(UTC)).total_seconds() + 0.5 + held
    except (ValueError, TypeError, OverflowError):
        return None
