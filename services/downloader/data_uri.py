"""Output that is inside its link: `data:` URIs (RFC 2397), decoded piece by piece."""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote_to_bytes

from shared.errors import Failure
from shared.reasons import Reason

PIECE_CHARACTERS = 256 * 1024
"""Characters that are decoded at once."""

_SCHEME = re.compile(r"\s*data:", re.IGNORECASE | re.ASCII)
_BASE64 = re.compile(r";\s*base64\s*\Z", re.IGNORECASE | re.ASCII)
_WHITE = b" \t\r\n\f"


def is_data_uri(url: str) -> bool:
    """Whether the bytes are in the URL itself."""
    return bool(_SCHEME.match(url))


def content_of(url: str) -> Iterator[bytes]:
    """The bytes of a `data:` URI, in pieces; raises Failure(PROTOCOL_VIOLATION) where it is not well-formed."""
    kind, comma, _ = url.partition(",")
    if not comma:
        raise _broken()
    end = url.find("#")
    pieces = _unquoted(url, len(kind) + 1, len(url) if end < 0 else end)
    return _from_base64(pieces) if _BASE64.search(kind) else pieces


def _unquoted(url: str, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        stop = min(start + PIECE_CHARACTERS, end)
        if stop < end and (split := url.rfind("%", stop - 2, stop)) >= 0:
            stop = split
        yield _bytes_of(url[start:stop])
        start = stop


def _bytes_of(text: str) -> bytes:
    with suppress(UnicodeEncodeError):
        return unquote_to_bytes(text)
    # Not while that error is handled: it holds the text, and would be kept as the context of this one.
    raise _broken()


def _from_base64(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest, is_padded = b"", False
    for piece in pieces:
        rest += piece.translate(None, _WHITE)
        whole = len(rest) // 4 * 4
        if is_padded and rest:
            raise _broken()
        is_padded = is_padded or rest[:whole].endswith(b"=")
        yield _decoded(rest[:whole])
        rest = rest[whole:]
    if rest:
        # Its padding is there to show a cut.
        raise _broken()


def _decoded(text: bytes) -> bytes:
    try:
        return a2b_base64(text, strict_mode=True)
    except Error:
        raise _broken() from None


def _broken() -> Failure:
    return Failure(Reason.PROTOCOL_VIOLATION, {"violation": "data_uri"})
