"""The head of an answer, read strictly: what could be read in two ways is a violation."""

import re
from dataclasses import dataclass, field
from typing import Literal, Protocol

from urllib3 import HTTPHeaderDict

from shared.errors import Failure
from shared.reasons import Reason

Headers = HTTPHeaderDict
"""Header fields: a case-insensitive map that keeps repeated fields (`getlist`)."""

MAX_HEAD = 64 * 1024
"""Most bytes of one head, interim answers included."""

Framing = Literal["length", "chunked", "close"]

_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\x00\r\n]*)?\r?\n")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*?)[ \t]*\r?\n")
_FOLDED = re.compile(rb"[ \t]+([^\x00\r\n]*?)[ \t]*\r?\n")
_LENGTH = re.compile(r"[0-9]{1,18}")
_SPACE = " \t"
"""HTTP's own white space; Python's is wider, and other readers do not skip the rest of it."""


class Reader(Protocol):
    """Buffered bytes: the two ways in which an answer is read."""

    def readline(self, size: int, /) -> bytes:
        """Bytes up to and with the next line feed, at most `size`."""

    def read1(self, size: int, /) -> bytes:
        """Some bytes, at most `size`, with one wait; none at the end."""


@dataclass(frozen=True)
class Head:
    """Status and header fields; `minor` is the 0 or 1 of HTTP/1.x."""

    minor: int
    status: int
    headers: Headers = field(repr=False)


def violation(what: str) -> Failure:
    """The answer breaks HTTP; `what` is one fixed word."""
    return Failure(Reason.PROTOCOL_VIOLATION, {"violation": what})


def read_head(reader: Reader) -> Head:
    """Read the head of the final answer; interim answers are skipped.

    Raises Failure(PROTOCOL_VIOLATION), or Failure(SOURCE_UNAVAILABLE) when the source hangs up.
    """
    head, budget = _one_head(reader, MAX_HEAD)
    while head.status < 200:
        if head.status == 101:
            raise violation("upgrade")
        head, budget = _one_head(reader, budget)
    return head


def _one_head(reader: Reader, budget: int) -> tuple[Head, int]:
    line = _line(reader, budget)
    if not (status := _STATUS.fullmatch(line)):
        raise violation("status_line")
    fields: list[tuple[str, str]] = []
    while line not in (b"\r\n", b"\n"):
        budget -= len(line)
        line = _line(reader, budget)
        _add_field(fields, line)
    return Head(int(status[1]), int(status[2]), Headers(fields)), budget


def _line(reader: Reader, budget: int) -> bytes:
    line = reader.readline(budget)
    if line.endswith(b"\n"):
        return line
    if len(line) == budget:
        raise violation("head_too_large")
    raise Failure(Reason.SOURCE_UNAVAILABLE, {"phase": "head"})


def _add_field(fields: list[tuple[str, str]], line: bytes) -> None:
    if folded := _FOLDED.fullmatch(line):
        if not fields:
            raise violation("header_line")
        fields[-1] = fields[-1][0], f"{fields[-1][1]} {folded[1].decode('latin-1')}"
    elif match := _FIELD.fullmatch(line):
        fields.append((match[1].decode("ascii"), match[2].decode("latin-1")))
    elif line not in (b"\r\n", b"\n"):
        raise violation("header_line")


def framing(head: Head) -> tuple[Framing, int | None]:
    """How the body ends (RFC 9112, 6.3) and its length in bytes where that is known.

    Raises Failure(PROTOCOL_VIOLATION) for a length that conflicts or is no number, and for an unknown coding.
    """
    codings = head.headers.getlist("transfer-encoding")
    lengths = {part.strip(_SPACE) for value in head.headers.getlist("content-length") for part in value.split(",")}
    if head.status in (204, 304):
        return "length", 0
    if codings:
        if lengths or head.minor == 0 or [coding.strip(_SPACE).lower() for coding in codings] != ["chunked"]:
            raise violation("transfer_encoding")
        return "chunked", None
    if not lengths:
        return "close", None
    if len(lengths) > 1 or not _LENGTH.fullmatch(text := lengths.pop()):
        raise violation("content_length")
    return "length", int(text)
