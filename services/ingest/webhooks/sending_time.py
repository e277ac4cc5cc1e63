"""The time at which a webhook says that it was sent."""

import re
from datetime import datetime

from services.ingest.webhooks.unproven import Unproven, Why

_SECONDS = re.compile(rb"[0-9]{1,11}")


def seconds_of(text: bytes, now: datetime, tolerance: float) -> int:
    """Unix seconds, at most `tolerance` seconds from now in either direction; milliseconds are none.

    Both directions, as a webhook that was signed for later could be kept until then.
    Raises Unproven: bad_timestamp, too_old, too_new.
    """
    if not _SECONDS.fullmatch(text):
        raise Unproven(Why.BAD_TIMESTAMP)
    seconds = int(text)
    age = now.timestamp() - seconds
    if age > tolerance:
        raise Unproven(Why.TOO_OLD)
    if age < -tolerance:
        raise Unproven(Why.TOO_NEW)
    return seconds
