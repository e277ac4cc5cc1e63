"""Damage as transport, storage and attackers do it: each way takes a good file, others beside it, and chance."""

import re
import zlib
from collections.abc import Callable, Sequence
from random import Random

from tests.media.parts import parts

NUMBERS = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0", b"\0\0\0\1")
HEADER_BYTES = 600

Way = Callable[[bytearray, Sequence[bytes], Random], None]


def flipped(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """Single bits are wrong."""
    for _ in range(random.choice([1, 3, 20, 200])):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def cut(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """The end is missing."""
    del data[random.randrange(len(data)) + 1 :]


def spliced(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """The beginning of one file and the end of another."""
    other = random.choice(others)
    data[random.randrange(len(data)) :] = other[random.randrange(len(other)) :]


def holed(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """A block was never written."""
    at = random.randrange(len(data))
    size = min(random.choice([1, 4, 100, 2000]), len(data) - at)
    data[at : at + size] = bytes(size)


def stuffed(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """Bytes stand where none belong."""
    at = random.randrange(len(data))
    data[at:at] = random.randbytes(random.choice([1, 4, 8, 100]))


def renumbered(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """Numbers of the header are absurd; those of a file of text are others."""
    digits = list(re.finditer(rb"\d+", data)) if data.startswith(b"%PDF") else []
    for _ in range(random.choice([1, 2, 4])):
        if digits:
            found = random.choice(digits)
            data[found.start() : found.end()] = str(random.randrange(10 ** len(found[0]))).zfill(len(found[0])).encode()
        else:
            place = random.randrange(min(len(data), HEADER_BYTES))
            data[place : place + 4] = random.choice(NUMBERS)


def swapped(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """Two parts have changed places; of a file without parts two blocks."""
    known = parts(bytes(data))
    edges = [(part.start, part.end) for part in known] or [
        (at, at + 64) for at in range(0, max(1, len(data) - 64), max(64, len(data) // 20))
    ]
    one, two = sorted([random.choice(edges), random.choice(edges)])
    if one[1] <= two[0]:
        data[one[0] : two[1]] = data[two[0] : two[1]] + data[one[1] : two[0]] + data[one[0] : one[1]]


def relengthed(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """A part states another length than it has; where no part is known, absurd numbers."""
    known = parts(bytes(data))
    if not known:
        return renumbered(data, others, random)
    part = random.choice(known)
    field = slice(part.field, part.field_end)
    length, most = int.from_bytes(data[field], part.order), 256 ** (part.field_end - part.field) - 1
    others_of_it = [length - 1, length + 1, length + 8, length - 8, 2 * length, length // 2, 0, most]
    data[field] = min(max(random.choice(others_of_it), 0), most).to_bytes(part.field_end - part.field, part.order)
    return None


def resealed(data: bytearray, others: Sequence[bytes], random: Random) -> None:
    """Single bits are wrong, and the check sums (of a PNG) are made for that, as by an attacker."""
    flipped(data, others, random)
    if data[:4] != b"\x89PNG":
        return
    for part in parts(bytes(data)):
        if part.end <= len(data):
            data[part.end - 4 : part.end] = zlib.crc32(data[part.start + 4 : part.end - 4]).to_bytes(4)


WAYS: tuple[Way, ...] = (flipped, cut, spliced, holed, stuffed, renumbered, swapped, relengthed, resealed)
