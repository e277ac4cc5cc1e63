"""The tables of ISO base media files: none states more entries than its box has room for."""

from collections.abc import Iterator
from typing import BinaryIO

from services.verifier.checks.boxes import Box, boxes
from services.verifier.checks.movie import stated_seconds
from services.verifier.checks.subject import NotApplicable, Refused, Subject, read_at, truncated
from shared.reasons import Reason

ENTRY_BYTES = {b"stts": 8, b"ctts": 8, b"stsc": 12, b"stsz": 4, b"stss": 4, b"stco": 4, b"co64": 8, b"stsd": 8}
"""Bytes of one entry, at least (ISO/IEC 14496-12, 8.5 to 8.7)."""

CONTAINERS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl"})
HEADER_BYTES = 8
"""Version, flags and the number of entries; a list of sample sizes has four more in between."""


def box_tables(subject: Subject) -> None:
    """Every box of the headers ends inside the file, and every table has room for the entries that it states."""
    if subject.format.reader != "mov":
        raise NotApplicable
    for number, box in enumerate(_headers(subject.file, 0, subject.size, 0)):
        if number > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many boxes")
        if box.end > subject.size:
            raise truncated(f"a box inside the headers ends {box.end - subject.size} bytes after the end of the file")
        if box.type in ENTRY_BYTES and _stated(subject.file, box) > box.end - box.body:
            raise Refused(Reason.UNSAFE_MEDIA, "a table states more entries than its box has room for")
    subject.stated = stated_seconds(subject.file, subject.size)


def _headers(file: BinaryIO, start: int, end: int, depth: int) -> Iterator[Box]:
    """The boxes inside the headers, each before those in it."""
    for box in boxes(file, start, end):
        if depth:
            yield box
        if box.type in CONTAINERS and depth < len(CONTAINERS):
            yield from _headers(file, box.body, min(box.end, end), depth + 1)


def _stated(file: BinaryIO, box: Box) -> int:
    """Bytes that a table takes by its own word."""
    header = read_at(file, box.body, HEADER_BYTES + 4)
    if box.type == b"stsz":
        is_listed = header[4:8] == bytes(4)
        return HEADER_BYTES + 4 + int.from_bytes(header[8:12]) * 4 * is_listed
    return HEADER_BYTES + int.from_bytes(header[4:8]) * ENTRY_BYTES[box.type]
