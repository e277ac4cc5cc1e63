"""A body that breaks off, and what answers the request for its rest: the right part, or anything else."""

from random import Random

_TAGS = (
    'ETag: "v1"',
    'ETag: "v1"',
    'ETag: "v1"',
    "Last-Modified: Sun, 01 Mar 2026 12:00:00 GMT",
    'ETag: W/"v1"',
    "X: y",
)
_DATE = "Date: Sun, 01 Mar 2026 13:00:00 GMT"


def parts(random: Random, whole: bytes) -> tuple[bytes, list[bytes]]:
    """A body of at least two bytes, its beginning under its whole length, and up to three further answers."""
    whole = whole if len(whole) > 1 else b"\x00\x00\x00\x10ftyp" * 100
    tag, at = random.choice(_TAGS), random.randrange(1, len(whole))
    answers = [_answer(200, f"Content-Length: {len(whole)}", tag, _DATE, body=whole[:at])]
    for _ in range(random.choice((1, 2, 3))):
        data, at = _rest(random, whole, at, tag)
        answers.append(data)
    return whole, answers


def _rest(random: Random, whole: bytes, at: int, tag: str) -> tuple[bytes, int]:
    """One answer, and where the body stands if it is taken."""
    if random.random() < 0.55:
        stop = len(whole) if random.random() < 0.6 else random.randrange(at, len(whole)) + 1
        kept = random.choice((stop, stop, stop, random.randint(at, stop)))
        said = f"Content-Range: bytes {at}-{stop - 1}/{len(whole)}"
        fields = [said, *random.choice(([f"Content-Length: {stop - at}"], []))]
        # Without a length only the range tells where the part must end.
        return _answer(206, *fields, tag, _DATE, body=whole[at:kept]), kept if kept < len(whole) else at
    return (_of_another if random.random() < 0.3 else _none)(random, whole, at, tag), at


def _of_another(random: Random, whole: bytes, at: int, tag: str) -> bytes:
    """The right range, of other bytes."""
    said = f"Content-Range: bytes {at}-{len(whole) - 1}/{len(whole)}"
    fields = random.choice(([], ['ETag: "v2"'], ['ETag: "v1"', 'ETag: "v2"'], ['ETag: W/"v1"'], [tag, tag + "x"]))
    return _answer(206, said, *fields, _DATE, body=b"?" * (len(whole) - at))


def _none(random: Random, whole: bytes, at: int, tag: str) -> bytes:
    """An answer that is no part, or another one."""
    status = random.choice((206, 206, 206, 206, 200, 416, 403))
    said = [_wrong(random, len(whole), at)] if status == 416 or random.random() < 0.6 else []
    field = random.choice((tag, tag, tag, 'ETag: "v2"', "Content-Encoding: gzip", "Content-Type: multipart/byteranges"))
    return _answer(status, *said, field, _DATE, body=b"?" * (len(whole) - at))


def _wrong(random: Random, size: int, at: int) -> str:
    """A range that does not go on where the body stopped, or is none."""
    return "Content-Range: " + random.choice(
        (
            f"bytes {at + 1}-{size - 1}/{size}",
            f"bytes {at - 1}-{size - 1}/{size}",
            f"bytes 0-{size - 1}/{size}",
            f"bytes {at}-{size}/{size + 1}",
            f"bytes {at}-{size - 1}/*",
            f"bytes {at}-{size}/{size}",
            f"bytes {at}-{at - 1}/{size}",
            f"bytes */{size}",
            f"bytes {at}-/{size}",
            f"bytes={at}-{size - 1}/{size}",
            f"bytes  {at}-{size - 1}/{size}",
            f"bytes {at}-{size - 1}/{size}, bytes 0-1/{size}",
            f"bytes -{at}-{size - 1}/{size}",
            f"bytes {'9' * 30}-{'9' * 31}/{'9' * 32}",
            "bytes \u0661-2/3",
            "",
        )
    )


def _answer(status: int, *fields: str, body: bytes) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} Said", *fields, "", ""]).encode() + body
