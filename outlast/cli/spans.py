"""Spans of time in words: printed short, and read from options."""

import re
from datetime import UTC, datetime, timedelta

from shared.errors import UsageError

TIME = "ISO 8601 with a zone, such as 2026-12-01T10:00:00Z"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SPAN = re.compile(r"(\d{1,6})([smhd])")


def span(seconds: float) -> str:
    """A span in one unit that fits it: `40 ms`, `1.4 s`, `12 s`, `3 min`, `5 h`, `2 d`."""
    if abs(seconds) < 1:
        return f"{seconds * 1000:.0f} ms"
    if abs(seconds) < 10:
        return f"{seconds:.1f} s"
    for limit, unit, name in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if abs(seconds) < limit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86400:.0f} d"


def instant_of(option: str, text: str | None) -> datetime | None:
    """The instant that an option gives. Raises UsageError for text that is none."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise UsageError(f"The value of {option} is no time that Outlast reads. Give {TIME}.")
    return instant


def seconds_of(option: str, text: str) -> float:
    """The seconds of a span: `90s`, `30m`, `12h`, `7d`. Raises UsageError."""
    found = _SPAN.fullmatch(text)
    if not found:
        raise UsageError(f"The value of {option} is no span. Give one such as 30m, 12h or 7d.")
    return float(int(found[1]) * _UNITS[found[2]])


def since_of(option: str, text: str | None) -> datetime | None:
    """The instant that an option gives, or the one so long ago: `90s`, `30m`, `12h`, `7d`. Raises UsageError."""
    if text is not None and _SPAN.fullmatch(text):
        return datetime.now(UTC) - timedelta(seconds=seconds_of(option, text))
    try:
        return instant_of(option, text)
    except UsageError:
        raise UsageError(f"The value of {option} is no time. Give a span such as 30m, 12h or 7d, or {TIME}.") from None
