"""What the headers of an ISO base media file say of the whole: its length, also where FFmpeg tells another one."""

from collections.abc import Iterator
from typing import BinaryIO

from services.verifier.checks.boxes import Box, boxes
from services.verifier.checks.subject import read_at

UNSTATED = frozenset({0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF})
FIELDS_BYTES = 36


def stated_seconds(file: BinaryIO, size: int) -> tuple[float | None, float | None]:
    """Seconds by the movie header and by the header of a fragmented movie (ISO/IEC 14496-12, 8.2.2 and 8.8.2).

    None for one that is not there, or states none.
    """
    movie, fragments, scale = None, None, 0
    for box in _inside(file, size, (b"moov", b"mvex")):
        fields = read_at(file, box.body, FIELDS_BYTES)
        wide = fields[:1] == b"\1"
        if box.type == b"mvhd":
            at = 20 if wide else 12
            scale, movie = int.from_bytes(fields[at : at + 4]), _number(fields, at + 4, wide=wide)
        elif box.type == b"mehd":
            fragments = _number(fields, 4, wide=wide)
    return _seconds(movie, scale), _seconds(fragments, scale)


def _inside(file: BinaryIO, size: int, names: tuple[bytes, ...]) -> Iterator[Box]:
    """The boxes inside the first box of the first name, and inside those of the others."""
    for box in boxes(file, 0, size):
        if box.type == names[0]:
            for inner in boxes(file, box.body, min(box.end, size)):
                yield inner
                if inner.type in names:
                    yield from boxes(file, inner.body, min(inner.end, size))
            return


def _number(fields: bytes, at: int, *, wide: bool) -> int:
    return int.from_bytes(fields[at : at + (8 if wide else 4)])


def _seconds(units: int | None, scale: int) -> float | None:
    return None if units is None or units in UNSTATED or not scale else units / scale
