"""The forms in which signed URLs write instants and durations; rubbish is None, never an error."""

import re
from collections.abc import Iterable
from datetime import MAXYEAR, UTC, datetime, timedelta
from itertools import product

HORIZON = timedelta(days=3653)
"""Nothing further than ten years from now, either way, is believed."""

_DECIMAL = re.compile(r"([0-9]{1,16})(?:\.[0-9]{1,9})?")
_HEX = re.compile(r"[0-9A-Fa-f]{1,12}")
_COMPACT = re.compile(r"[0-9]{8}T[0-9]{6}Z")
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.[0-9]{1,9})?([Zz]|[+ -][0-9]{2}:?[0-9]{2})?)?"
)
_MILLISECONDS_FROM = 10**11


def unix(text: str) -> datetime | None:
    """Unix seconds, also with a fraction; from 1e11 on they are milliseconds."""
    match = _DECIMAL.fullmatch(text)
    return _from_seconds(int(match[1])) if match else None


def unix_hex(text: str) -> datetime | None:
    """Unix seconds in hexadecimal."""
    return _from_seconds(int(text, 16)) if _HEX.fullmatch(text) else None


def compact(text: str) -> datetime | None:
    """`YYYYMMDDTHHMMSSZ`, in UTC."""
    return _iso(text) if _COMPACT.fullmatch(text) else None


def iso(text: str) -> datetime | None:
    """ISO 8601 as Azure writes it: a date alone, or with a time and perhaps a zone; UTC without one."""
    match = _ISO.fullmatch(text)
    if not match:
        return None
    day, minute, second, zone = match.groups()
    # A plus sign in a query that was not percent-coded has become a space on its way.
    zone = (zone or "Z").upper().replace(" ", "+")
    return _iso(f"{day}T{minute or '00:00'}{second or ':00'}{zone}")


def duration(text: str, longest: int) -> timedelta | None:
    """Whole seconds from 1 to `longest`."""
    seconds = int(text) if _DECIMAL.fullmatch(text) and text.isdigit() else 0
    return timedelta(seconds=seconds) if 1 <= seconds <= longest else None


def after(starts: Iterable[datetime | None], lives: Iterable[timedelta | None]) -> list[datetime]:
    """Every start plus every life, where the calendar reaches that far."""
    spans = product((start for start in starts if start), (life for life in lives if life))
    return [start + life for start, life in spans if start.year < MAXYEAR - 100]


def believable(instants: Iterable[datetime | None], now: datetime) -> list[datetime]:
    """Those that are at most ten years from `now`."""
    return [instant for instant in instants if instant and abs(instant - now) <= HORIZON]


def _from_seconds(number: int) -> datetime | None:
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
