"""Damage as transport, storage and attackers do it: flips, cuts, splices, holes, insertions, absurd numbers."""

from collections.abc import Sequence
from random import Random

NUMBERS = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0", b"\0\0\0\1")
HEADER_BYTES = 600


def damaged(files: Sequence[bytes], random: Random) -> bytes:
    """One of the files with one kind of damage."""
    data = bytearray(random.choice(files))
    at = random.randrange(len(data))
    match random.randrange(6):
        case 0:
            for _ in range(random.choice([1, 3, 20, 200])):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[at + 1 :]
        case 2:
            other = random.choice(files)
            data[at:] = other[random.randrange(len(other)) :]
        case 3:
            size = min(random.choice([1, 4, 100, 2000]), len(data) - at)
            data[at : at + size] = bytes(size)
        case 4:
            data[at:at] = random.randbytes(random.choice([1, 4, 8, 100]))
        case _:
            for _ in range(random.choice([1, 2, 4])):
                place = random.randrange(min(len(data), HEADER_BYTES))
                data[place : place + 4] = random.choice(NUMBERS)
    return bytes(data)
