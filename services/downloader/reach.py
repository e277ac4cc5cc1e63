"""Whether a failed transfer tells of its source as a whole: that it is away, not that one output is bad."""

from shared.errors import Failure
from shared.reasons import Reason


def is_away(failure: Failure) -> bool:
    """Whether the source could not be reached, did not begin to answer, or sent us away for now."""
    if failure.reason is Reason.STALLED:
        return failure.evidence.get("phase") != "body"
    return failure.reason in (Reason.SOURCE_UNAVAILABLE, Reason.RATE_LIMITED)
