"""One message on its way to the broker."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shared.errors import Evidence

HINT_SECONDS = 5.0
"""Limit for the confirm of one hint, in seconds."""


class Sent(StrEnum):
    """How a message that the broker took has ended."""

    CONFIRMED = "confirmed"
    UNROUTABLE = "unroutable"


@dataclass(eq=False)
class Letter:
    """A message; `deadline` (monotonic) is when whoever waits for it gives up, and nobody waits for a hint.

    `finish` is called once, with `confirmed`, `unroutable`, `failed` or `dropped` and what was seen.
    """

    exchange: str
    routing_key: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    finish: Callable[[str, Evidence], None] = field(repr=False)
    message_id: str | None = None
    deadline: float | None = None
    tries: int = 0

    @property
    def is_hint(self) -> bool:
        """Whether nobody waits: a wake-up that the poll repairs, so the broker need not write it to disk."""
        return self.deadline is None

    @property
    def overdue(self) -> bool:
        """Whether whoever waited has gone."""
        return self.deadline is not None and self.deadline <= time.monotonic()

    def limit(self) -> float:
        """The monotonic time until which a publish that starts now may take."""
        return time.monotonic() + HINT_SECONDS if self.deadline is None else self.deadline
