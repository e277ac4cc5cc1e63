"""The words of a transfer: what is ordered, within which limits, into what, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from shared.errors import Evidence
from shared.objects import Uploaded


class Sink(Protocol):
    """Where the bytes go: an upload that becomes an object only when it is completed."""

    def write(self, data: bytes | memoryview, /) -> None:
        """Take bytes; waits while the store is slower than the source."""

    def complete(self) -> Uploaded:
        """Make the object of all bytes written."""

    def abort(self) -> None:
        """Leave nothing behind; never raises, may be called again."""


@dataclass(frozen=True)
class Order:
    """One transfer to make; `deadline` is monotonic, instants are aware, sizes are bytes."""

    url: str = field(repr=False)
    credential: Mapping[str, str] | None = field(repr=False)
    url_expires_at: datetime | None
    ready_at: datetime
    max_bytes: int
    declared_size: int | None
    declared_sha256: str | None
    deadline: float


@dataclass(frozen=True)
class Limits:
    """How slow and how coded a transfer may be.

    A transfer ends after `total_seconds`, and when a window of `pace_seconds` spent waiting brings less than
    `min_bytes_per_second`. `max_ratio` is the most bytes that one coded byte may become.
    """

    total_seconds: float = 3600.0
    min_bytes_per_second: float = 1024.0
    pace_seconds: float = 30.0
    max_ratio: float = 200.0


@dataclass(frozen=True)
class Received:
    """A transfer that succeeded: `size` and `sha256` are of the stored bytes.

    `length_proven` is False when the body ended by close and nothing else says that it was whole.
    """

    size: int
    sha256: str
    upload: Uploaded
    length_proven: bool
    evidence: Evidence
