"""What the standard library's own reader makes of an answer: never more than the transfer may believe."""

import gzip
import http.client
import io
import re
import zlib
from socket import socket
from typing import cast

# More fields than this reader allows are no fault, within the limit that a head has.
vars(http.client)["_MAXHEADERS"] = 100_000


class _Sent(io.BytesIO):
    """Bytes in place of a socket and its file; what was not read stays there."""

    def makefile(self, *_: object) -> io.BytesIO:
        return self

    def close(self) -> None:
        """Stay open."""


def body_of(data: bytes, *, at_once: bool) -> bytes:
    """The body of the final answer in `data`, decoded; `at_once` says that it all came together.

    Raises http.client.HTTPException (IncompleteRead for one that was cut), ValueError, OSError, EOFError or
    zlib.error where that reader finds a fault, and AssertionError where the answer can be read in two ways.
    """
    sent = _Sent(_plain(data))
    response = http.client.HTTPResponse(cast(socket, sent), method="GET")
    response.begin()
    said = {part.strip() for text in response.headers.get_all("Content-Length", []) for part in text.split(",")}
    assert len(said) + len(response.headers.get_all("Transfer-Encoding", [])) <= 1, "several lengths"
    body = response.read()
    assert not sent.read().strip(b"\r\n") or not at_once, "more than the length said"
    coding = response.headers.get("Content-Encoding", "").lower().strip(" \t,")
    if coding in ("gzip", "x-gzip"):
        return gzip.decompress(body)
    if coding == "deflate":
        return zlib.decompress(body) if body[:1] and body[0] & 15 == 8 else zlib.decompress(body, wbits=-15)
    return body


def _plain(data: bytes) -> bytes:
    """The final answer with each field on one line: this reader knows one interim answer alone, and no folds."""
    head, blank, body = _split(data)
    while re.match(rb"HTTP/1\.[01] 1[0-9][0-9]", head):
        head, blank, body = _split(body)
    lines = re.sub(rb"\r?\n[ \t]+", b" ", head).split(b"\n")
    return b"\n".join(line.rstrip() for line in lines) + blank + body


def _split(data: bytes) -> tuple[bytes, bytes, bytes]:
    mark = re.search(rb"\r?\n\r?\n", data)
    return (data[: mark.start()], mark[0], data[mark.end() :]) if mark else (data, b"", b"")
