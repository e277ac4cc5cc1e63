"""The first bytes of a body: whether an error page came in place of the output."""

import re
from collections.abc import Iterator
from itertools import chain

LOOK_BYTES = 512
"""Bytes that are looked at before anything is stored."""

_IGNORED = re.compile(rb"(?:\xef\xbb\xbf|\s+|<\?xml[^>]*>|<!--.*?-->)*", re.DOTALL)
_MARKUP = re.compile(rb"<(?:!doctype\s+)?([a-z][a-z0-9:._-]*)", re.IGNORECASE)
_DOCUMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_JSON = re.compile(rb"\{\s*[\"}]|\[\s*[\[{\"\]]")

_PAGES = frozenset({b"html", b"head", b"body", b"title", b"script"})
_JSON_ERROR = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*\"errors?\"\s*:\s*+(?!null|false|0|\"\"|\[\s*\]|\{\s*\})", re.IGNORECASE
)


def opened(blocks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first `size` bytes (fewer only at the end) and all blocks, those bytes included."""
    first = b""
    taken: list[bytes] = []
    while len(first) < size and (block := next(blocks, None)) is not None:
        taken.append(block)
        first += block
    return first[:size], chain(taken, blocks)


def is_error_page(first: bytes) -> bool:
    """Whether a body that begins so is HTML, JSON or XML; SVG is XML too, but no error."""
    text = _IGNORED.sub(b"", first, count=1)
    if markup := _MARKUP.match(text):
        return markup[1].lower() not in (b"svg", b"svg:svg")
    return bool(_JSON.match(text))


def says_error(first: bytes) -> bool:
    """Whether a body that begins so is an HTML page, or XML or JSON that first of all says an error.

    For promised text, which may be JSON or begin with a tag without being an error.
    """
    if markup := _MARKUP.match(_IGNORED.sub(b"", first, count=1)):
        name = markup[1].lower()
        return name in _PAGES or name.startswith(b"error")
    return bool(_JSON_ERROR.match(first))


def is_document(first: bytes) -> bool:
    """Whether a body that begins so is a JSON object or array."""
    return bool(_DOCUMENT.match(first))
