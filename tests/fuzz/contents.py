"""Bodies: media and error pages, codings and framings, right and wrong."""

import gzip
import zlib
from collections.abc import Sequence
from random import Random

from tests.fuzz.damage import damaged, without_canary
from tests.fuzz.pages import error_page

_MEDIA = (
    b"\x00\x00\x00\x20ftypisom" + bytes(range(256)) * 3,
    b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08mdat\x00\x00\x00\x08moov",
    b"\x89PNG\r\n\x1a\n" + bytes(99) + b"\x00\x00\x00\x00IEND\xaeB`\x82",
    b"RIFF\x08\x00\x00\x00WAVEdata",
    b"%PDF-1.4\n" + b"x" * 2000 + b"\n%%EOF\n",
    b"PK\x03\x04" + bytes(40) + b"PK\x05\x06" + bytes(18),
    b"<svg xmlns='http://www.w3.org/2000/svg'/>" + b" " * 700,
    b"GIF89a\x00;",
    b"",
    b"\n",
    b"\xef\xbb\xbf",
    b"<",
    b"{",
    b"0\r\n\r\n",
)
_BIG = bytes(range(256)) * 700
BOMB = gzip.compress(bytes(2**21), 9)


def content(random: Random, url: str) -> bytes:
    """What a source may give out as an output of the link `url`."""
    kind = random.randrange(20)
    if kind < 9:
        return random.choice(_MEDIA)
    if kind < 13:
        return random.choice(_MEDIA) + random.randbytes(random.choice((1, 511, 512, 513, 4095, 4097, 70_000)))
    if kind == 13:
        return _BIG
    return error_page(random, url)


def coded(random: Random, data: bytes) -> tuple[str, bytes]:
    """A content coding and bytes that are mostly coded so."""
    is_damaged = random.random() < 0.3
    data = without_canary(data) if is_damaged else data
    raw = zlib.compressobj(wbits=-15)
    kind, done = random.choice(
        (
            ("gzip", gzip.compress(data)),
            ("gzip", gzip.compress(data)),
            ("x-gzip", gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])),
            ("deflate", zlib.compress(data)),
            ("deflate", raw.compress(data) + raw.flush()),
            ("gzip", BOMB),
            ("gzip", data),
            ("deflate", data),
            ("gzip", gzip.compress(data) + b"\x00" * random.choice((1, 600))),
            ("gzip", gzip.compress(data) + random.randbytes(3)),
            ("deflate", zlib.compress(data) + b"x"),
            ("gzip", b""),
        )
    )
    return kind, damaged(random, done) if is_damaged else done


def chunked(random: Random, data: bytes) -> bytes:
    """The chunked coding of data: right, or wrong in one of many ways."""
    sizes = (1, 2, 7, 100, 513, 70_000)
    out, start, wrong = [], 0, random.random() < 0.4
    while start < len(data):
        block = data[start : start + random.choice(sizes if len(data) < 4000 else sizes[-3:])]
        start += len(block)
        end = random.choice((b"", b"\n", b"xx", b"\r\r")) if wrong and random.random() < 0.2 else b"\r\n"
        out += [_size(random, len(block), is_wrong=wrong and random.random() < 0.2), block, end]
    last = (
        random.choice((b"", b"0", b"0\r\n", b"-0\r\n\r\n", b"0\r\n\r\nHTTP/1.1 200 OK", b"0;x\r\n\r\n"))
        if wrong
        else b"0\r\n"
    )
    return b"".join(out) + last + (random.choice(_TRAILERS) if not wrong or random.random() < 0.5 else b"")


_TRAILERS: Sequence[bytes] = (
    *[b"\r\n"] * 6,
    b"",
    b"X: y\r\n\r\n",
    b"X: y\r\n" * 70 + b"\r\n",
    b"X: " + b"y" * 9000 + b"\r\n\r\n",
    b"Content-Length: 5\r\n\r\n",
    b"\n",
    b"\x00\r\n\r\n",
    b"\r\nsurplus",
)


def _size(random: Random, size: int, *, is_wrong: bool) -> bytes:
    text = b"%x" % size
    if not is_wrong:
        return (
            random.choice((text, text, text, text.upper(), b"0" + text, text + b";a=b", text + b' ; q="\xff"'))
            + b"\r\n"
        )
    wrong = (
        *(b"%x" % (size + 1), b"%x" % max(size - 1, 0), b"-" + text, b"+" + text, b"0x" + text, b"f" * 15, b"f" * 16),
        *(
            b"f" * 5000,
            b"",
            b" " + text,
            text + b" x",
            text + b";" + b"e" * 5000,
            b"g",
            b"1_0",
            text + b"\r",
            b"\xd9\xa1",
        ),
    )
    return random.choice(wrong) + random.choice((b"\r\n", b"\r\n", b"\n", b"", b"\r"))
