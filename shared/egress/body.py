"""The body of an answer as a stream: proven to its end where HTTP can prove it."""

import re
from collections.abc import Iterator

from shared.egress.head import Framing, Reader, violation
from shared.egress.wire import Wire
from shared.errors import Failure
from shared.reasons import Reason

READ_BYTES = 256 * 1024
"""Most bytes of one piece of a stream."""

_MAX_LINE = 4096
_MAX_TRAILERS = 64
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")


def stream(wire: Wire, framing: Framing, length: int | None) -> Iterator[bytes]:
    """The body's bytes, without the transfer coding.

    Raises Failure(TRUNCATED) when the body ends early, Failure(PROTOCOL_VIOLATION) for broken framing or more
    bytes than were announced. A body that ends by close proves nothing.
    """
    if framing == "close":
        yield from iter(lambda: wire.reader.read1(READ_BYTES), b"")
        return
    yield from _sized(wire.reader, length or 0) if framing == "length" else _chunked(wire.reader)
    # A line end after the body is an old sloppiness; anything else means that the length was a lie.
    if wire.surplus().strip(b"\r\n"):
        raise violation("surplus")


def _sized(reader: Reader, length: int) -> Iterator[bytes]:
    left = length
    while left:
        data = reader.read1(min(left, READ_BYTES))
        if not data:
            raise Failure(Reason.TRUNCATED, {"phase": "body", "missing_bytes": left})
        left -= len(data)
        yield data


def _chunked(reader: Reader) -> Iterator[bytes]:
    while size := _chunk_size(reader):
        yield from _sized(reader, size)
        if _line(reader, 2) != b"\r\n":
            raise violation("chunk_end")
    for _ in range(_MAX_TRAILERS):
        # The last chunk has come, so nothing is missing even if the source hangs up before the empty line.
        if reader.readline(_MAX_LINE) in (b"\r\n", b"\n", b""):
            return
    raise violation("trailers")


def _chunk_size(reader: Reader) -> int:
    size = _SIZE.fullmatch(_line(reader, _MAX_LINE))
    if not size:
        raise violation("chunk_size")
    return int(size[1], 16)


def _line(reader: Reader, limit: int) -> bytes:
    line = reader.readline(limit)
    if len(line) < limit and not line.endswith(b"\n"):
        raise Failure(Reason.TRUNCATED, {"phase": "body"})
    return line
