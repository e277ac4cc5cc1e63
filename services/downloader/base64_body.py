"""Output that is base64 (RFC 4648) in a string of a JSON answer: found and decoded as the answer streams by."""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass

from services.downloader.json_path import NoString, string_at
from shared.errors import Failure
from shared.reasons import Reason

__all__ = ["NoString", "output_in"]

MOST_BESIDE_BYTES = 2**30
"""Bytes of an answer that may be something else than the output: its other outputs stand there too."""
_WRITTEN_BYTES = 8
"""Most bytes that stand for one: four characters for three, each written as six (`\\u002B`)."""

_HEAD_BYTES = 1024
_PREFIX = re.compile(rb"\s*data:[^,]*;\s*base64\s*,", re.IGNORECASE)
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_WHITE = b" \t\r\n\f"


@dataclass
class _Share:
    """How much of an answer was output so far, in bytes."""

    read: int = 0
    given: int = 0

    def of(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The answer's blocks; raises Failure(TOO_LARGE) where too much of it is not the output."""
        for block in blocks:
            self.read += len(block)
            if self.read > MOST_BESIDE_BYTES + _WRITTEN_BYTES * self.given:
                raise Failure(Reason.TOO_LARGE, {"limit": "beside_output", "limit_bytes": MOST_BESIDE_BYTES})
            yield block


def output_in(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The bytes that stand in base64 at `path` in the JSON document of `blocks`, in pieces smaller than a block.

    Either alphabet counts, white space does not, padding may be missing, and a `data:` prefix is left out. That the
    string and the document come to their ends shows the output whole.
    Raises NoString where no string stands there; Failure: TRUNCATED where the document ends early,
    PROTOCOL_VIOLATION where it is broken or the string is no base64, TOO_LARGE.
    """
    share = _Share()
    for piece in _decoded(_without_prefix(string_at(share.of(blocks), path))):
        share.given += len(piece)
        yield piece


def _without_prefix(pieces: Iterator[bytes]) -> Iterator[bytes]:
    head = b""
    while len(head) < _HEAD_BYTES and (piece := next(pieces, None)) is not None:
        head += piece
    prefix = _PREFIX.match(head, 0, _HEAD_BYTES)
    yield head[prefix.end() :] if prefix else head
    yield from pieces


def _decoded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest, is_padded = b"", False
    for piece in pieces:
        rest += piece.translate(_TO_STANDARD, _WHITE)
        if is_padded and rest:
            raise _broken()
        whole = len(rest) // 4 * 4
        is_padded = is_padded or rest[:whole].endswith(b"=")
        yield _bytes_of(rest[:whole])
        rest = rest[whole:]
    if rest:
        last = rest.rstrip(b"=")
        if is_padded or not last:
            raise _broken()
        yield _bytes_of(last + b"=" * (-len(last) % 4))


def _bytes_of(text: bytes) -> bytes:
    try:
        return a2b_base64(text, strict_mode=True)
    except Error:
        raise _broken() from None


def _broken() -> Failure:
    return Failure(Reason.PROTOCOL_VIOLATION, {"violation": "base64"})
