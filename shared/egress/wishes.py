"""What a source asks of its clients: how long to wait before the next request."""

import re
from datetime import datetime
from email.utils import parsedate_to_datetime

from shared.egress.head import Headers


def retry_after(headers: Headers, now: datetime) -> float | None:
    """Seconds that the source asks to wait: a number or a date, 0 for one in the past; None for rubbish.

    `now` is aware, by the source's own clock where it told.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        return max((parsedate_to_datetime(value) - now).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
