"""Whether a later answer is the missing rest of an earlier one, to the byte and of the same version (RFC 9110)."""

import re
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime

from services.downloader.coding import coding_of
from shared.egress import Answer, Headers

_STRONG_TAG = re.compile(r'"[\x21\x23-\x7e]*"')
_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")
_SETTLED = timedelta(seconds=60)
"""A date of a change is strong in an answer made this long after it; the two clocks may differ."""
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})", re.IGNORECASE)


@dataclass(frozen=True)
class Anchor:
    """What all parts of one body share: its size in bytes and a strong validator."""

    total: int
    validator: str


class NotTheRest(Exception):  # noqa: N818 (an outcome of judging an answer)
    """An answer is not the missing rest; `why` is one fixed word, or the status."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def anchor_of(answer: Answer) -> Anchor | None:
    """What a later part of this whole body must share with it; None where it must not be resumed."""
    total = answer.content_length
    has_no_ranges = answer.headers.get("accept-ranges", "").lower() == "none"
    if not total or has_no_ranges or coding_of(answer.headers):
        return None
    validator = strong_validator(answer.headers)
    return Anchor(total, validator) if validator else None


def strong_validator(headers: Headers) -> str | None:
    """What If-Range may hold (13.1.5): the strong entity tag, or a settled date where there is no tag at all."""
    tags, dates = headers.getlist("etag"), headers.getlist("last-modified")
    if tags:
        return tags[0] if len(tags) == 1 and _STRONG_TAG.fullmatch(tags[0]) else None
    if len(dates) != 1 or not _DATE.fullmatch(dates[0]):
        return None
    try:
        age = parsedate_to_datetime(headers.get("date", "")) - parsedate_to_datetime(dates[0])
    except (ValueError, TypeError, OverflowError):
        return None
    return dates[0] if age >= _SETTLED else None


def length_of_rest(answer: Answer, anchor: Anchor, start: int) -> int:
    """How many bytes from `start` on this answer brings, to the body's end or less far. Raises NotTheRest."""
    if answer.status != 206:
        raise NotTheRest(f"status {answer.status}")
    if answer.headers.get("content-type", "").lower().startswith("multipart/"):
        raise NotTheRest("multipart")
    match = _RANGE.fullmatch(", ".join(answer.headers.getlist("content-range")))
    first, last, total = map(int, match.groups()) if match else (0, 0, 0)
    if first != start or total != anchor.total or not first <= last < total:
        raise NotTheRest("content_range")
    if strong_validator(answer.headers) != anchor.validator:
        raise NotTheRest("validator")
    if coding_of(answer.headers):
        raise NotTheRest("content_coding")
    length = last - first + 1
    if answer.content_length not in (None, length):
        raise NotTheRest("content_length")
    return length
