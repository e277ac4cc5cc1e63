"""Small damage to texts and bytes: odd pieces put in, parts left out, doubled, swapped or cut off."""

import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from tests.faults.canary import CANARY

Text = TypeVar("Text", str, bytes)

ODD_TEXT = (
    *("\x00", "\r\n", "\n", "\t", " ", "\\", "/", "//", "@", ":", "::", "?", "#", "&", "=", ";", ",", "[", "]", "%"),
    *("%00", "%0d%0a", "%2f", "%40", "%25", "..", ".", "-1", "0", "00", "9" * 30, "0x", "e", "+", "*", "'", '"', "<"),
    *(
        "\x7f",
        "\x85",
        "\u00ad",
        "\u2028",
        "\u202e",
        "\ud800",
        "\uff0f",
        "\u3002",
        "\u017f",
        "\u212a",
        "\u0661",
        "猫",
        "💥",
    ),
)
ODD_BYTES = (
    *(b"\x00", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\n\n", b" ", b"\t", b"\r\n ", b":", b";", b",", b"=", b'"', b"/"),
    *(b"0", b"-1", b"+", b"9" * 25, b"ffffffffffffffff", b"0x", b"\x1f\x8b", b"\x78\x9c", b"<", b"{", b"HTTP/1.1 "),
    *(b"\x7f", b"\x80", b"\x85", b"\xa0", b"\xc0\xaf", b"\xe2\x80\xae", b"\xed\xa0\x80", b"\xff"),
)


def damaged_text(random: Random, text: str) -> str:
    """A text with one to three faults."""
    return _damaged(random, text, ODD_TEXT)


def damaged(random: Random, data: bytes) -> bytes:
    """Bytes with one to three faults."""
    return _damaged(random, data, ODD_BYTES)


def without_canary(data: bytes) -> bytes:
    """Bytes to be damaged: a secret that is damaged itself is none that anybody could know again."""
    return re.sub(CANARY.encode(), b"canarino", data, flags=re.IGNORECASE)


def _damaged(random: Random, text: Text, odd: Sequence[Text]) -> Text:
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 1, 1, 2, 5, 20)))
        head, part, tail = text[:start], text[start:end], text[end:]
        kind = random.randrange(8)
        if kind < 4:
            text = head + random.choice(odd) + (tail if kind < 2 else part + tail)
        elif kind == 4:
            text = head + tail
        elif kind == 5:
            text = head + part * random.choice((2, 3, 50)) + tail
        elif kind == 6:
            text = tail + part + head
        else:
            text = head
    return text
