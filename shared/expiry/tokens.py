"""Instants inside coded JSON: CloudFront policies and JSON Web Tokens, read without believing them."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from datetime import datetime

from shared.expiry.instants import unix

_MAX_CHARACTERS = 16 * 1024
_JWT = re.compile(r"([A-Za-z0-9_-]{4,})\.([A-Za-z0-9_-]{4,})\.[A-Za-z0-9_-]*")
_CLOUDFRONT = str.maketrans("-_~", "+=/")
_URL_SAFE = str.maketrans("-_", "+/")

Span = tuple[datetime | None, datetime | None]
"""Beginning and end."""


def cloudfront_policy(text: str) -> Span:
    """The latest beginning and earliest end that a custom policy states."""
    document = _decoded(text.translate(_CLOUDFRONT))
    statements = document.get("Statement") if isinstance(document, dict) else None
    conditions = list(_conditions(statements if isinstance(statements, list) else []))
    starts = [instant for c in conditions if (instant := _epoch(c, "DateGreaterThan"))]
    ends = [instant for c in conditions if (instant := _epoch(c, "DateLessThan"))]
    return max(starts, default=None), min(ends, default=None)


def jwt_claims(text: str) -> Span | None:
    """`iat` and `exp` of a JSON Web Token; None for what is no token."""
    match = _JWT.fullmatch(text)
    if not match:
        return None
    header, payload = (_decoded(part.translate(_URL_SAFE)) for part in match.groups())
    if not isinstance(header, dict) or "alg" not in header or not isinstance(payload, dict):
        return None
    return _number(payload.get("iat")), _number(payload.get("exp"))


def _conditions(statements: list[object]) -> Iterator[dict[str, object]]:
    for statement in statements:
        condition = statement.get("Condition") if isinstance(statement, dict) else None
        if isinstance(condition, dict):
            yield condition


def _epoch(condition: dict[str, object], name: str) -> datetime | None:
    value = condition.get(name)
    return _number(value.get("AWS:EpochTime")) if isinstance(value, dict) else None


def _number(value: object) -> datetime | None:
    is_number = isinstance(value, int | float | str) and not isinstance(value, bool)
    return unix(str(value)) if is_number else None


def _decoded(text: str) -> object:
    if len(text) > _MAX_CHARACTERS:
        return None
    try:
        return json.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
    except (ValueError, binascii.Error, RecursionError):
        return None
