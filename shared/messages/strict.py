"""Strict JSON: what other readers would each take differently is refused, and told to whoever sent it."""

import json
import math
from typing import Any, NoReturn

from shared.messages.rejection import FIELDS, Fault, Rejected

MAX_INTAKE_BYTES = 256 * 1024
"""Largest intake body, in bytes."""
MAX_DEPTH = 16
"""Most levels of objects and lists in an intake body."""
MAX_DIGITS = 40
"""Most characters of a number."""

_BOM = b"\xef\xbb\xbf"


def parse_json(body: bytes, most_bytes: int = MAX_INTAKE_BYTES, most_levels: int = MAX_DEPTH) -> Any:
    """The value of a JSON text in UTF-8.

    Raises Rejected with reason too_large, not_utf8, not_json, duplicate_name, too_deep or bad_number.
    """
    if len(body) > most_bytes:
        raise Rejected(Fault.TOO_LARGE, f"the body has {len(body)} bytes; the limit is {most_bytes}")
    if body.startswith(_BOM):
        raise Rejected(Fault.NOT_JSON, "the body starts with a byte order mark; send UTF-8 without one")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Rejected(Fault.NOT_UTF8, "the body is not UTF-8") from None
    try:
        value = _loaded(text)
    except RecursionError:
        raise _too_deep(most_levels) from None
    _check_depth(value, most_levels)
    return value


def _loaded(text: str) -> Any:
    if not text.strip():
        raise Rejected(Fault.NOT_JSON, "the body is empty")
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
        )
    except ValueError as error:
        place = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Rejected(Fault.NOT_JSON, f"the body is not JSON{place}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            told = name if name in FIELDS else "a name"
            raise Rejected(Fault.DUPLICATE_NAME, f"{told} stands twice in one object; give each name once")
        found[name] = value
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _bad_number(f"a number has over {MAX_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if len(text) > MAX_DIGITS or not math.isfinite(value):
        raise _bad_number(f"a number is out of range or has over {MAX_DIGITS} digits")
    return value


def _constant(_text: str) -> NoReturn:
    raise _bad_number("NaN and Infinity are no JSON; leave such a value out")


def _check_depth(value: Any, most_levels: int) -> None:
    level = [value]
    for _ in range(most_levels + 1):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            return
    raise _too_deep(most_levels)


def _inner(item: Any) -> list[Any]:
    return list(item.values()) if isinstance(item, dict) else item if isinstance(item, list) else []


def _too_deep(most_levels: int) -> Rejected:
    return Rejected(Fault.TOO_DEEP, f"objects and lists are nested deeper than {most_levels} levels")


def _bad_number(detail: str) -> Rejected:
    return Rejected(Fault.BAD_NUMBER, detail)
