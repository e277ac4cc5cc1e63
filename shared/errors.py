"""The exceptions that carry a reason from an act to the record."""

from collections.abc import Mapping

from shared.reasons import Reason

Evidence = Mapping[str, object]
"""What a claim saw, JSON-ready, with no URL, credential or unbounded text in it."""


class Failure(Exception):  # noqa: N818 (a failure is an outcome that is recorded, not a programming error)
    """An act ended without its result; `reason` says why and `evidence` what was seen.

    `retry_after` is the source's own wish in seconds, if it stated one.
    """

    def __init__(self, reason: Reason, evidence: Evidence | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.evidence: Evidence = evidence or {}
        self.retry_after = retry_after


class Unstorable(Exception):  # noqa: N818
    """The database refuses these values for what they are: trying again changes nothing."""


class LeaseLost(Exception):  # noqa: N818
    """The row no longer holds our fencing token: stop and touch nothing more."""


class Stopping(Exception):  # noqa: N818
    """The process is asked to end, and this act cannot finish in the grace time."""


class UsageError(Exception):
    """A person's input or configuration is wrong; the text says what to do."""
