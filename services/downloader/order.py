"""The words of a transfer: what is ordered, within which limits, into what, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import Literal, Protocol

from shared.errors import Evidence
from shared.objects import Uploaded

Proof = Literal["length", "chunked", "uri", "coding", "document", "declared", "container"]
"""What shows that a body is whole: HTTP's framing, the URI or document that held it, or words about or inside it."""


class Sink(Protocol):
    """Where the bytes go: an upload that becomes an object only when it is completed."""

    def write(self, data: bytes | memoryview, /) -> None:
        """Take bytes; waits while the store is slower than the source."""

    def complete(self) -> Uploaded:
        """Make the object of all bytes written."""

    def abort(self) -> None:
        """Leave nothing behind; never raises, may be called again."""


class Clock(Protocol):
    """What time it is at a source, by its own word where it was heard."""

    def now(self) -> datetime:
        """The time there."""

    def hear(self, ahead: float | None, /) -> None:
        """It answered now, by a clock so many seconds ahead of this machine's; None where it told no time."""

    def seconds_since(self, instant: datetime, /) -> float:
        """How long ago that was."""


@dataclass(frozen=True)
class Endpoint:
    """How the bytes behind an address are asked for, and where they stand in the answer; by itself, that of a link."""

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    base64: str | None = None
    """Path of the string in a JSON answer that is the output in base64; None where the answer is the output."""

    @property
    def is_resumable(self) -> bool:
        """Whether a part of the answer may be asked for."""
        return self.method == "GET" and self.base64 is None


LINK = Endpoint()


@dataclass(frozen=True)
class Order:
    """One transfer to make; `deadline` is monotonic, instants are aware, sizes are bytes.

    A request must start before `url_expires_at`. `deleted_at` is for bytes that the source deletes: their
    transfer must also be over by then.
    """

    url: str = field(repr=False)
    credential: Mapping[str, str] | None = field(repr=False)
    url_expires_at: datetime | None
    ready_at: datetime
    max_bytes: int
    declared_size: int | None
    declared_sha256: str | None
    deadline: float
    clock: Clock
    deleted_at: datetime | None = None
    credential_is_newer: bool = False
    """Whether it took the place of another since the output was ready, so that it may not know the job."""
    endpoint: Endpoint = LINK
    takes_text: bool = False
    """Whether text, or bytes of any sort, were promised: then only what says an error is one."""


@dataclass(frozen=True)
class Limits:
    """How slow, how often broken and how coded a transfer may be.

    A transfer ends after `total_seconds`, for a body of over 1 GiB after so much more, and for the time that our own
    limit costs it at the `share_bytes_per_second` that is left to each; and when a window of
    `pace_seconds` spent waiting brings less than `min_bytes_per_second`. A body that breaks off
    is resumed up to `resumes` times, each after a pause. It may go on for `overtime_seconds` after the source
    should have deleted it, as that seldom comes to the second and bytes that still arrive are worth more than a
    free slot. `max_ratio` is the most bytes that one coded byte may become.
    """

    total_seconds: float = 3600.0
    share_bytes_per_second: float = inf
    min_bytes_per_second: float = 1024.0
    pace_seconds: float = 30.0
    resumes: int = 3
    resume_pause_seconds: float = 1.0
    overtime_seconds: float = 60.0
    max_ratio: float = 200.0


@dataclass(frozen=True)
class Received:
    """A transfer that succeeded: `size` and `sha256` are of the stored bytes, `proven_by` shows them whole.

    `declared_type` is what the source called them, if it did.
    """

    size: int
    sha256: str
    upload: Uploaded
    proven_by: Proof | None
    evidence: Evidence
    declared_type: str | None = None

    @property
    def length_proven(self) -> bool:
        """False when the body ended by close and nothing else says that it was whole."""
        return self.proven_by is not None
