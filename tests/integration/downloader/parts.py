"""Scripts of sources that break off and send parts, well and badly."""

from tests.faults.answers import answer, head
from tests.faults.server import Line, Script
from tests.integration.downloader.acts import VIDEO

TAG = 'ETag: "v1"'
SIZE = len(VIDEO)
KEPT = 400_000
"""Where a body breaks off, unless a test says otherwise."""


def broken(*fields: str, kept: int = KEPT, how: str = "end", body: bytes = VIDEO) -> Script:
    """A whole body by its head, of which only the beginning comes."""

    def lead(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(body)}", *fields), body[:kept])
        if how == "reset":
            line.reset()
        if how == "silence":
            line.hold()

    return lead


def part(
    start: int = KEPT, *fields: str, stop: int | None = None, total: int | str | None = None, body: bytes = VIDEO
) -> Script:
    """A part of a body, said and sent as a good source does."""
    stop = len(body) if stop is None else stop
    said = f"Content-Range: bytes {start}-{stop - 1}/{len(body) if total is None else total}"
    return answer(body[start:stop], said, *(fields or (TAG,)), status=206)


def asked_start(line: Line) -> int:
    """Where the asked range starts."""
    return int(line.request.headers["range"].removeprefix("bytes=").removesuffix("-"))


def honest(*fields: str, body: bytes = VIDEO) -> Script:
    """The part that is asked for, whatever it is."""
    return lambda line: part(asked_start(line), *fields, body=body)(line)
