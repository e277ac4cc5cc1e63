"""Content codings that a source used unasked, undone in bounded steps."""

import zlib
from collections.abc import Iterator

from shared.egress import Headers
from shared.errors import Failure
from shared.reasons import Reason

_STEP_BYTES = 256 * 1024
_INPUT_BYTES = 64 * 1024
_FREE_BYTES = 2**20
"""Below this size a high ratio is harmless, and normal for small texts."""
_GZIP = zlib.MAX_WBITS | 16
_ZLIB = zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS


def coding_of(headers: Headers) -> str | None:
    """The one content coding of an answer; None for none. Raises Failure for one that is not undone here."""
    values = ",".join(headers.getlist("content-encoding")).lower().split(",")
    # Not Python's wider white space, which other readers do not skip.
    codings = [coding for value in values if (coding := value.strip(" \t")) not in ("", "identity")]
    if not codings:
        return None
    if len(codings) > 1 or codings[0] not in ("gzip", "x-gzip", "deflate"):
        raise Failure(Reason.PROTOCOL_VIOLATION, {"violation": "content_coding"})
    return codings[0].removeprefix("x-")


def decoded(blocks: Iterator[bytes], coding: str | None, max_ratio: float) -> Iterator[bytes]:
    """The content of coded blocks, in pieces of at most 256 KiB.

    Raises Failure: TRUNCATED when the coding does not reach its end, PROTOCOL_VIOLATION when it is broken,
    TOO_LARGE when more than `max_ratio` bytes come out per byte that went in.
    """
    if coding is None:
        return blocks
    return _bounded(_inflated(blocks, coding), max_ratio)


def _bounded(pairs: Iterator[tuple[int, bytes]], max_ratio: float) -> Iterator[bytes]:
    total = 0
    for taken, piece in pairs:
        total += len(piece)
        if total > _FREE_BYTES and total > max_ratio * taken:
            raise Failure(Reason.TOO_LARGE, {"limit": "ratio"})
        yield piece


def _inflated(blocks: Iterator[bytes], coding: str) -> Iterator[tuple[int, bytes]]:
    """Pieces, each with the count of bytes that had been taken in when it came out."""
    taken, inflater = 0, None
    for part in _parts(blocks):
        inflater = inflater or _inflater(coding, part)
        taken += len(part)
        while part:
            if inflater.eof:
                inflater = _next_member(coding)
            yield taken, _step(inflater, part)
            part = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    while inflater and (piece := _step(inflater, b"")):
        yield taken, piece
    if inflater and not inflater.eof:
        raise Failure(Reason.TRUNCATED, {"phase": "content_coding"})


def _parts(blocks: Iterator[bytes]) -> Iterator[bytes]:
    # What is not taken in at once is copied at every step, so the steps' input is kept small.
    for block in blocks:
        yield from (block[start : start + _INPUT_BYTES] for start in range(0, len(block), _INPUT_BYTES))


def _inflater(coding: str, first: bytes) -> "zlib._Decompress":
    if coding == "gzip":
        return zlib.decompressobj(_GZIP)
    # "deflate" is zlib by the standard, and raw from many servers; only zlib begins with an 8 in these bits.
    return zlib.decompressobj(_ZLIB if first[0] & 0x0F == 8 else _RAW)


def _next_member(coding: str) -> "zlib._Decompress":
    if coding != "gzip":
        raise _broken()
    return zlib.decompressobj(_GZIP)


def _step(inflater: "zlib._Decompress", data: bytes) -> bytes:
    try:
        return inflater.decompress(data, _STEP_BYTES)
    except zlib.error:
        raise _broken() from None


def _broken() -> Failure:
    return Failure(Reason.PROTOCOL_VIOLATION, {"violation": "content_coding"})
