"""Values of header fields, good and odd."""

from collections.abc import Callable
from random import Random

from tests.faults.canary import CANARY, LINK
from tests.fuzz.links import good_link, link
from tests.fuzz.peer import HOST

NUMBERS = (
    *(
        "0",
        "1",
        "5",
        "64",
        "600",
        "-1",
        "+5",
        "005",
        "5.0",
        "0x5",
        "1e3",
        "NaN",
        "",
        " ",
        "five",
        "\u0665",
        "5 5",
        "5,5",
    ),
    *("5, 6", "5;5", "2147483648", "9223372036854775808", "1" * 18, "1" * 19, "9" * 25, "9" * 4000, "--5", "5\x0b"),
)
DATES = (
    *("Sun, 01 Mar 2026 12:02:00 GMT", "Sunday, 01-Mar-26 12:02:00 GMT", "Sun Mar  1 12:02:00 2026", "0", "", "-"),
    *("Sun, 01 Mar 2026 12:02:00 +2359", "Sun, 01 Mar 2026 12:02:00 -9999", "Sun, 01 Mar 2026 12:02:00 +99999999999"),
    *(
        "Sun, 01 Mar 0001 00:00:00 +2359",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sun, 99 Mar 2026 12:02:00 GMT",
    ),
    *("Sun, 01 Mar 2026 25:61:61 GMT", "Sun, 01 Mar 99999 12:02:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "1 1 1 1 1"),
    *("Mon, 29 Feb 2027 00:00:00 GMT", ", , : : ", "Sun, 01 Mar 2026 12:02", "Sun, 01 Mar 2026", "GMT", "2026-03-01"),
    *(
        f"Sun, 01 {CANARY}path 2026 12:02:00 GMT",
        "9" * 9000,
        "Sun, 01 Mar 2026 12:02:00 \xff",
        "(" * 300,
        "Sun, (01 Mar",
    ),
)
_TYPES = (
    "video/mp4",
    "text/html",
    "application/json",
    f"a/b; name={CANARY}path",
    "multipart/byteranges",
    "\xff/\x80",
    "a/b; " * 2000,
)
_CODINGS = ("identity", "gzip", "x-gzip", "deflate", "br", "gzip, gzip", "GZIP", "", ",", "zstd;q=1", "gzip\x85")
_TRANSFER = (
    "chunked",
    "Chunked",
    "identity",
    "gzip, chunked",
    "chunked, chunked",
    "xchunked",
    "",
    "chunked;x",
    "\tchunked",
)
_TAGS = ('"v1"', 'W/"v1"', '"', '""', '"v1", "v2"', f'"{CANARY}path"', "v1", '"\xff"', '"' + "x" * 5000 + '"')
_RANGES = ("bytes 0-4/5", "bytes */5", "bytes 5-0/5", "bytes 0-9999999999999999999/*", "0-4/5", "", "items 0-4/5")
_SERVERS = ("nginx", f"x {LINK}", f"{CANARY}query+", "\x7f\x80\xff", "y" * 3000, "y " * 10_000, "sk-" + "a1" * 20)


def location(random: Random, port: int) -> str:
    """What a redirect may say."""
    joined = (
        *(f"/{CANARY}next", "next", "../" * 300 + "x", "./", "", " ", "?", f"?{CANARY}", "#", "//", "///x", "/" * 9000),
        *(
            f"//{HOST}:{port}/{CANARY}",
            "//10.0.0.1/",
            "\\\\10.0.0.1\\x",
            "http:",
            "http:/x",
            "HTTP:next",
            "a:b",
            ":",
        ),
        *("x" * 20_000, "/\xe4\xbd\xa0", "%2e%2e/", "/a b", "/a\tb", LINK, "/redirect", "..", "/%0d%0aX: y"),
    )
    kind = random.randrange(4)
    made = random.choice(joined) if kind < 2 else (link if kind == 2 else good_link)(random, port)
    return "".join(c if c.isprintable() else "!" for c in made) if random.random() < 0.9 else made


def _date(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(DATES)
    day = random.choice(("Sun, 01", "Sun, 1", "01", "Sunday, 31", "Sun, 00"))
    month = random.choice(("Mar", "mar", "13"))
    year, zone = random.choice((0, 1, 69, 70, 99, 1900, 2026, 9999, 10_000)), random.choice((0, 1, 2400, 9999, 10**9))
    hour, sign = random.choice((0, 12, 23, 24, 99)), random.choice(("+", "-", "-", "GMT", "EST ", ""))
    return f"{day} {month} {year} {hour:02d}:{random.choice((0, 59, 60))}:{random.choice((0, 61))} {sign}{zone:04d}"


def _one_of(values: tuple[str, ...]) -> "Make":
    return lambda random, port: random.choice(values)


Make = Callable[[Random, int], str]

FRAMING: dict[str, Make] = {
    "Content-Length": _one_of(NUMBERS),
    "Transfer-Encoding": _one_of(_TRANSFER),
    "Content-Encoding": _one_of(_CODINGS),
    "Content-Range": _one_of(_RANGES),
}
"""Fields that say what the body is; one too many mostly ends it all."""
OTHERS: dict[str, Make] = {
    "Content-Type": _one_of(_TYPES),
    "Retry-After": lambda random, port: random.choice((random.choice(NUMBERS), _date(random))),
    "Date": lambda random, port: _date(random),
    "Last-Modified": lambda random, port: _date(random),
    "ETag": _one_of(_TAGS),
    "Accept-Ranges": _one_of(("bytes", "none", "")),
    "Location": location,
    "Server": _one_of(_SERVERS),
    "Connection": _one_of(("close", "keep-alive", "upgrade")),
}
