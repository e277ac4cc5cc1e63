"""Whether a failed transfer tells of its source as a whole: that it is away, not that one output is bad."""

from shared.errors import Failure
from shared.reasons import Reason

NOT_READY = (202, 425)
"""Statuses of a source that answers well: this one output is not there yet."""


def is_away(failure: Failure) -> bool:
    """Whether the source could not be reached, did not begin to answer, or sent us away for now."""
    if failure.reason is Reason.STALLED:
        return failure.evidence.get("phase") != "body"
    is_ready = failure.evidence.get("status") not in NOT_READY
    return is_ready and failure.reason in (Reason.SOURCE_UNAVAILABLE, Reason.RATE_LIMITED)
