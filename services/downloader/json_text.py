"""A JSON document (RFC 8259) read as a stream, of which one block is held, whatever its strings and nesting are."""

import re
from collections.abc import Iterator
from itertools import count

from services.downloader.json_escapes import CUT_ESCAPE, RUN, unescaped
from shared.errors import Failure
from shared.reasons import Reason

MOST_DEPTH = 256
"""Nesting beyond which a value is not passed over."""
MOST_NAME_BYTES = 256
"""So much is kept of a member's name, which may be of any length."""

# A byte order mark stands before the text of some servers; between two marks it could not mean anything else.
_WHITE = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*")
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]+")
_FLAT = re.compile(rb'(?:[^"\[\]{}]++|\[[^"\[\]{}]*+\]|\{[^"\[\]{}]*+\})++')
"""Scalars, with what stands between them, and containers of such alone."""
_CLOSERS = {b"{": b"}", b"[": b"]"}


def broken(what: str) -> Failure:
    """The document is no JSON, or may not be read; `what` is one fixed word."""
    return Failure(Reason.PROTOCOL_VIOLATION, {"violation": f"json_{what}"})


class Text:
    """A place in a document, which moves on as values are read or passed over.

    Of a value that is passed over only brackets and quotes are checked. Every method raises Failure: TRUNCATED
    where the document ends early, PROTOCOL_VIOLATION where it is broken.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._block = b""
        self._at = 0

    def peek(self) -> bytes:
        """The next byte that is no white space."""
        while (at := self._after(_WHITE)) == len(self._block):
            self._at = at
            self._more()
        self._at = at
        return self._block[at : at + 1]

    def places(self) -> Iterator[str | int]:
        """The name or index of each value of the container that stands here; the reader passes over the values."""
        closer = _CLOSERS[self._take(*_CLOSERS)]
        if self.peek() == closer:
            self._take(closer)
            return
        for index in count():
            yield self._name() if closer == b"}" else index
            if self._take(b",", closer) == closer:
                return

    def string(self) -> Iterator[bytes]:
        """The characters of the string that stands here, in pieces; of those beyond ASCII only that they are."""
        return map(unescaped, self._runs())

    def skip(self) -> None:
        """Pass over the value that stands here."""
        closers = bytearray()
        while True:
            self._step(closers)
            if not closers:
                return
            if len(closers) > MOST_DEPTH:
                raise broken("nesting")

    def end(self) -> None:
        """Nothing may follow but white space."""
        while (at := self._after(_WHITE)) == len(self._block):
            self._at = at
            if not self._has_more():
                return
        raise broken("surplus")

    def _step(self, closers: bytearray) -> None:
        """Pass over the next mark, string or scalar of a value in which `closers` are awaited, the last one first."""
        mark = self.peek()
        if mark == b'"':
            for _ in self._runs():
                pass
        elif mark in _CLOSERS:
            self._at += 1
            closers += _CLOSERS[mark]
        elif closers and mark[0] == closers[-1]:
            self._at += 1
            closers.pop()
        else:
            self._pass(_FLAT if closers else _SCALAR)

    def _take(self, *allowed: bytes) -> bytes:
        found = self.peek()
        if found not in allowed:
            raise broken("mark")
        self._at += 1
        return found

    def _name(self) -> str:
        name = b""
        for piece in self.string():
            name += piece[: MOST_NAME_BYTES - len(name)]
        self._take(b":")
        return name.decode("latin-1")

    def _runs(self) -> Iterator[bytes]:
        """The string that stands here as it is written, in pieces that cut no escape."""
        self._take(b'"')
        while True:
            start, self._at = self._at, self._end_of_run()
            if start < self._at:
                yield self._block[start : self._at]
            if self._block[self._at : self._at + 1] == b'"':
                self._at += 1
                return
            if not CUT_ESCAPE.fullmatch(self._block, self._at):
                raise broken("escape")
            self._more()

    def _end_of_run(self) -> int:
        quote = self._block.find(b'"', self._at)
        end = len(self._block) if quote < 0 else quote
        # Bytes are found ten times as fast as an expression matches, and in most strings nothing is escaped.
        return self._after(RUN) if self._block.find(b"\\", self._at, end) >= 0 else end

    def _pass(self, pattern: re.Pattern[bytes]) -> None:
        start, self._at = self._at, self._after(pattern)
        if start == self._at:
            raise broken("mark")
        while self._at == len(self._block):
            self._more()
            self._at = self._after(pattern)

    def _after(self, pattern: re.Pattern[bytes]) -> int:
        match = pattern.match(self._block, self._at)
        return match.end() if match else self._at

    def _more(self) -> None:
        if not self._has_more():
            raise Failure(Reason.TRUNCATED, {"phase": "json"})

    def _has_more(self) -> bool:
        """Put the next block behind what was not read yet."""
        block = next(self._blocks, None)
        self._block, self._at = self._block[self._at :] + (block or b""), 0
        return block is not None
