"""Where the parts of a file lie (boxes, chunks, segments, pages, entries), and where it states their lengths."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple


class Part(NamedTuple):
    """A part from `start` to `end`; the bytes from `field` to `field_end` state its length, in this order of bytes."""

    start: int
    end: int
    field: int
    field_end: int
    order: Literal["big", "little"] = "big"


HOLDERS = frozenset(b"moov trak mdia minf stbl dinf edts udta mvex moof traf iprp ipco".split())
"""Boxes that hold boxes and nothing before them (ISO/IEC 14496-12)."""
MASTERS = frozenset({0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0, 0xE1, 0x1F43B675, 0xA0, 0x1C53BB6B, 0xBB})
"""Elements that hold elements (RFC 9559)."""


def parts(data: bytes) -> list[Part]:
    """The parts of a good file, outer ones before those in them; none where its format is not known here."""
    if data[4:8] in {b"ftyp", b"jP  "}:
        return list(_boxes(data, 0, len(data)))
    if data[:4] == b"RIFF":
        return [Part(0, len(data), 4, 8, "little"), *_chunks(data, 12, len(data))]
    if data[:4] == b"\x89PNG":
        return list(_png(data))
    if data[:4] == b"\x1aE\xdf\xa3":
        return list(_elements(data, 0, len(data)))
    if data[:2] == b"\xff\xd8":
        return list(_segments(data))
    if data[:4] == b"OggS":
        return list(_pages(data))
    return list(_entries(data)) if data[:2] == b"PK" else []


def _boxes(data: bytes, at: int, end: int) -> Iterator[Part]:
    while at + 8 <= end:
        size = int.from_bytes(data[at : at + 4])
        if not 8 <= size <= end - at:
            return
        yield Part(at, at + size, at, at + 4)
        kind = data[at + 4 : at + 8]
        if kind in HOLDERS or kind == b"meta":
            yield from _boxes(data, at + (12 if kind == b"meta" else 8), at + size)
        at += size


def _chunks(data: bytes, at: int, end: int) -> Iterator[Part]:
    while at + 8 <= end:
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        after = min(end, at + 8 + size + size % 2)
        yield Part(at, after, at + 4, at + 8, "little")
        if data[at : at + 4] == b"LIST":
            yield from _chunks(data, at + 12, after)
        at = after


def _png(data: bytes) -> Iterator[Part]:
    at = 8
    while at + 12 <= len(data):
        after = at + 12 + int.from_bytes(data[at : at + 4])
        yield Part(at, after, at, at + 4)
        at = after


def _elements(data: bytes, at: int, end: int) -> Iterator[Part]:
    while at + 2 <= end:
        field = at + 9 - data[at].bit_length()
        width = 9 - data[field].bit_length()
        body = field + width
        size = int.from_bytes(data[field:body]) & (1 << 7 * width) - 1
        if width > 8 or body + size > end:
            return
        yield Part(at, body + size, field, body)
        if int.from_bytes(data[at:field]) in MASTERS:
            yield from _elements(data, body, body + size)
        at = body + size


def _segments(data: bytes) -> Iterator[Part]:
    at = 2
    while at + 4 <= len(data) and data[at + 1] != 0xDA:
        after = at + 2 + int.from_bytes(data[at + 2 : at + 4])
        yield Part(at, after, at + 2, at + 4)
        at = after


def _pages(data: bytes) -> Iterator[Part]:
    starts = [found.start() for found in re.finditer(rb"OggS\0", data)]
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        yield Part(start, end, start + 26, start + 27)


def _entries(data: bytes) -> Iterator[Part]:
    for found in re.finditer(rb"PK\x03\x04", data):
        start = found.start()
        name, packed = data[start + 26 : start + 28], data[start + 18 : start + 22]
        end = start + 30 + int.from_bytes(name, "little") + int.from_bytes(packed, "little")
        yield Part(start, min(end, len(data)), start + 18, start + 22, "little")
