"""Escapes in the strings of JSON documents (RFC 8259, 7)."""

import re

RUN = re.compile(rb'[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\]*+)*+')
"""What stands in a string before its end, or before an escape that is cut or broken."""
CUT_ESCAPE = re.compile(rb"(?:\\(?:u[0-9A-Fa-f]{0,3})?)?")
"""The beginning of an escape, or nothing."""

_ESCAPE = re.compile(rb"\\(?:u(....)|(.))")
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_NOT_ASCII = b"\xff"


def unescaped(run: bytes) -> bytes:
    """The characters of a part of a string that cuts no escape; of an escaped one beyond ASCII only that it is."""
    if b"\\" not in run:
        return run
    if b"\\\\" not in run:
        # Each backslash begins an escape here, so a plain replacement hits no other, and is far quicker.
        run = run.replace(b"\\/", b"/").replace(b"\\n", b"\n")
    return _ESCAPE.sub(_character, run)


def _character(escape: re.Match[bytes]) -> bytes:
    code, letter = escape.groups()
    if code is None:
        return _LETTERS.get(letter, letter)
    number = int(code, 16)
    return bytes([number]) if number < 128 else _NOT_ASCII
