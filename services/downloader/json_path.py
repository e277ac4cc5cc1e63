"""One string inside a JSON document, found by its path while the document streams by."""

import re
from collections.abc import Generator, Iterator, Mapping

from services.downloader.json_text import Text, broken

_STEP = re.compile(r"([A-Za-z0-9_]+)|\[([0-9]+)\]")
_STRING = "a string"
_ABSENT = "absent"
_KINDS: Mapping[bytes, str] = {
    b"{": "an object",
    b"[": "an array",
    b'"': _STRING,
    b"n": "null",
    **dict.fromkeys((b"t", b"f"), "a boolean"),
    **{bytes([byte]): "a number" for byte in b"-0123456789"},
}


class NoString(Exception):  # noqa: N818 (an outcome of reading a document)
    """The document is whole, but no string stands where one was looked for; `found` says what does."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


def string_at(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The string at `path` (`videos[0].bytes`), unescaped, in pieces; what is not ASCII is told as such bytes.

    Raises NoString at the document's end; Failure: TRUNCATED where that comes too early, PROTOCOL_VIOLATION where
    the document is broken, or names a member on the path twice, as readers differ in which one they take
    (RFC 8259, 4).
    """
    text = Text(blocks)
    steps = [name or int(index) for name, index in _STEP.findall(path)]
    found = yield from _walk(text, steps)
    text.end()
    if found != _STRING:
        raise NoString(found)


def _walk(text: Text, steps: list[str | int]) -> Generator[bytes, None, str]:
    """Read the value that stands here for the wanted string inside it; returns what stood in its place."""
    kind = _KINDS.get(text.peek())
    if kind is None:
        raise broken("value")
    if not steps and kind == _STRING:
        yield from text.string()
        return kind
    if not steps or kind != _KINDS[b"{" if isinstance(steps[0], str) else b"["]:
        text.skip()
        return _ABSENT if steps else kind
    return (yield from _search(text, steps))


def _search(text: Text, steps: list[str | int]) -> Generator[bytes, None, str]:
    """Read the container that stands here, in which the first step is a name or an index."""
    found: str | None = None
    for place in text.places():
        if place != steps[0]:
            text.skip()
        elif found is None:
            found = yield from _walk(text, steps[1:])
        else:
            raise broken("repeated_name")
    return found or _ABSENT
