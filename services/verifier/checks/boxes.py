"""ISO base media files (MP4, MOV, 3GP, AVIF) box by box: whole to the last box, and not encrypted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

TOP = frozenset(
    b"ftyp styp moov moof mdat free skip wide sidx ssix emsg meta".split()
    + b"mfra uuid prft pdin udta pnot PICT imda".split()
)
CONTAINERS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl"})
ENCRYPTED = frozenset({b"encv", b"enca", b"enct", b"encs", b"encu", b"encm", b"drms", b"drmi"})


@dataclass(frozen=True)
class Box:
    """A box: its type, where its body starts and where it says that it ends."""

    type: bytes
    body: int
    end: int


def whole_boxes(subject: Subject) -> None:
    """Every top-level box ends inside the file; bytes after the last box are noted."""
    seen: set[bytes] = set()
    end = 0
    for count, box in enumerate(boxes(subject.file, 0, subject.size)):
        if count > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many boxes")
        if box.type not in TOP and seen & {b"mdat", b"moof"}:
            return subject.ends_at(box.body - 8)
        if box.end > subject.size:
            raise truncated(f"a box ends {box.end - subject.size} bytes after the end of the file")
        seen.add(box.type)
        end = box.end
    return subject.ends_at(end)


def not_encrypted(subject: Subject) -> None:
    """No track's samples are encrypted."""
    for number, entry in enumerate(_sample_entries(subject.file, 0, subject.size, depth=0)):
        if entry in ENCRYPTED:
            raise Refused(Reason.ENCRYPTED, f"a track has encrypted samples ({entry.decode()})")
        if number > subject.limits.streams * 8:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many sample descriptions")


def boxes(file: BinaryIO, start: int, end: int) -> Iterator[Box]:
    """The boxes between two positions, in order; the last one may say that it ends later than `end`."""
    while start + 8 <= end:
        header = read_at(file, start, 16)
        size, body = int.from_bytes(header[:4]), start + 8
        if size == 1:
            size, body = int.from_bytes(header[8:16]), start + 16
        stop = end if size == 0 else start + size
        if stop < body:
            return
        yield Box(header[4:8], body, stop)
        start = stop


def _sample_entries(file: BinaryIO, start: int, end: int, depth: int) -> Iterator[bytes]:
    if depth > len(CONTAINERS):
        return
    for box in boxes(file, start, end):
        inside = min(box.end, end)
        if box.type == b"stsd":
            yield from (entry.type for entry in boxes(file, box.body + 8, inside))
        elif box.type in CONTAINERS:
            yield from _sample_entries(file, box.body, inside, depth + 1)
