"""Lines of text from a stream that nobody vouches for, counted from 1 and of bounded length."""

from collections.abc import Iterator
from typing import BinaryIO

from shared.messages import MAX_INTAKE_BYTES

MOST_BYTES = MAX_INTAKE_BYTES + 2
"""More than this of one line is not kept: it is too long for an event anyway."""


def numbered(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, its end cut off; blank lines are counted and left out.

    Of a line that is too long for an event comes its beginning, still too long.
    """
    number = 0
    while line := stream.readline(MOST_BYTES):
        number += 1
        whole = line
        while line and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES)
        if whole.strip():
            yield number, whole.rstrip(b"\r\n")
