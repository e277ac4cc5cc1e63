"""The one redaction in front of every sink: what opens a door is hidden, what helps a person stays."""

import math
from collections.abc import Collection, Mapping
from itertools import islice
from typing import overload

from shared.redaction.names import HIDDEN, is_secret_name
from shared.redaction.text import CUT, redact_text

__all__ = ["CUT", "HIDDEN", "redact"]

MAX_ITEMS = 64
MAX_NODES = 1024
MAX_DEPTH = 8


@overload
def redact(value: str | bytes | BaseException) -> str: ...
@overload
def redact(value: Mapping[str, object]) -> dict[str, object]: ...
@overload
def redact(value: object) -> object: ...
def redact(value: object) -> object:
    """A copy of `value` that may be shown: JSON-ready, bounded, and without URLs or credentials.

    A URL becomes `scheme://host/...`; the value of a parameter, header or field with a secret's name (`sig`,
    `token`, `key`, `Authorization`, ...), a bearer token and a PEM block become `[hidden]`. Text, bytes,
    exceptions (`Type: message`), mappings and sequences are read; of other objects their `str`.
    """
    return _Walk().visit(value, 0)


class _Walk:
    """One walk through a value, with a budget that also ends cycles."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def visit(self, value: object, depth: int) -> object:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            return CUT
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._items(value, depth)
        return _scalar(value)

    def _mapping(self, value: Mapping[object, object], depth: int) -> dict[str, object]:
        shown = {_text_of(key): self._named(key, item, depth) for key, item in islice(value.items(), MAX_ITEMS)}
        if len(value) > MAX_ITEMS:
            shown["..."] = f"{len(value) - MAX_ITEMS} more"
        return shown

    def _items(self, value: Collection[object], depth: int) -> list[object]:
        items = list(islice(value, MAX_ITEMS))
        if len(items) == 2 and isinstance(items[0], str | bytes):
            # Headers travel as pairs, whose first half names the second.
            return [_scalar(items[0]), self._named(items[0], items[1], depth)]
        shown = [self.visit(item, depth + 1) for item in items]
        return [*shown, f"{len(value) - MAX_ITEMS} more"] if len(value) > MAX_ITEMS else shown

    def _named(self, name: object, item: object, depth: int) -> object:
        text = name.decode("latin-1") if isinstance(name, bytes) else _printed(name)
        if is_secret_name(text) and item is not None and not isinstance(item, bool):
            return HIDDEN
        return self.visit(item, depth + 1)


def _scalar(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else CUT
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    return _text_of(value)


def _text_of(value: object) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return _binary(bytes(value))
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {redact_text(_printed(value))}"
    return redact_text(_printed(value))


def _printed(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 (foreign __str__; a log line must not end the work that it tells of)
        return f"[unprintable {type(value).__name__}]"


def _binary(value: bytes) -> str:
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return f"[{len(value)} bytes]"
    readable = all(character >= " " or character in "\t\r\n" for character in text)
    return redact_text(text) if readable else f"[{len(value)} bytes]"
