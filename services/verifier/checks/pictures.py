"""Still pictures from the first mark to the last: no part is cut, no check sum is wrong."""

import re
import zlib
from typing import Literal

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The next JPEG marker in picture data: not a stuffed 0xFF, a restart or padding."""

ZEROS = re.compile(rb"\0*")
STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
EOI = 0xD9


def whole_png(subject: Subject) -> None:
    """Every chunk up to IEND is there and has a good CRC; bytes after IEND are noted."""
    data, at = subject_bytes(subject), 8
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        if end > len(data):
            raise truncated("the last PNG chunk is not complete")
        if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            raise Refused(Reason.UNDECODABLE, "a PNG chunk has a wrong check sum")
        if data[at + 4 : at + 8] == b"IEND":
            return subject.ends_at(end)
        at = end
    raise truncated("the PNG has no IEND")


def whole_jpeg(subject: Subject) -> None:
    """The JPEG's segments lead to an end mark (EOI); bytes after it are noted."""
    data, at = subject_bytes(subject), 2
    while (found := _next_marker(data, at)) is not None:
        marker, at = found
        if marker == EOI:
            return subject.ends_at(at)
        if marker not in STANDALONE:
            at += int.from_bytes(data[at : at + 2])
    raise truncated("the JPEG has no end mark")


def whole_gif(subject: Subject) -> None:
    """The GIF's blocks lead to a trailer, with a picture before it; bytes after it are noted."""
    data = subject_bytes(subject)
    at = 13 + _colours(data, 10)
    pictures = 0
    while at < len(data) and data[at] != 0x3B:
        if data[at] == 0:
            at = ZEROS.match(data, at).end()  # type: ignore[union-attr]  # a pattern with * always matches
        elif data[at] == 0x21:
            at = _after_blocks(data, at + 2)
        elif data[at] == 0x2C:
            at = _after_blocks(data, at + 11 + _colours(data, at + 9))
            pictures += 1
        else:
            raise Refused(Reason.UNDECODABLE, "the GIF has an unknown block")
    if at >= len(data):
        raise truncated("the GIF has no trailer")
    if not pictures:
        raise Refused(Reason.UNDECODABLE, "the GIF has no picture")
    subject.ends_at(at + 1)


def whole_tiff(subject: Subject) -> None:
    """Every directory of the TIFF is complete; the pixels it names are proven by decoding them."""
    order: Literal["little", "big"] = "little" if subject.head[:2] == b"II" else "big"
    at, seen = int.from_bytes(subject.head[4:8], order), set[int]()
    while at and at not in seen:
        seen.add(at)
        entries = int.from_bytes(read_at(subject.file, at, 2), order)
        end = at + 2 + 12 * entries
        if end + 4 > subject.size or len(seen) > subject.limits.animation_frames:
            raise truncated("a TIFF directory is not complete")
        at = int.from_bytes(read_at(subject.file, end, 4), order)


def whole_ico(subject: Subject) -> None:
    """Every picture that the icon's directory names ends inside the file."""
    for at in range(6, 6 + 16 * int.from_bytes(subject.head[4:6], "little"), 16):
        entry = read_at(subject.file, at, 16)
        if int.from_bytes(entry[8:12], "little") + int.from_bytes(entry[12:16], "little") > subject.size:
            raise truncated("a picture of the icon is not complete")


def subject_bytes(subject: Subject) -> bytes:
    """The whole file; images are small enough by their limit."""
    return read_at(subject.file, 0, subject.size)


def _next_marker(data: bytes, at: int) -> tuple[int, int] | None:
    """The next marker from `at` and the position after it; None at the end of the file."""
    found = MARKER.search(data, at)
    return (data[found.end() - 1], found.end()) if found else None


def _colours(data: bytes, at: int) -> int:
    """Bytes of the colour table that the flags at `at` announce."""
    flags = data[at] if at < len(data) else 0
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _after_blocks(data: bytes, at: int) -> int:
    """The position after a chain of sub-blocks; the end of the file if the chain is cut."""
    while at < len(data) and data[at]:
        at += 1 + data[at]
    return at + 1
