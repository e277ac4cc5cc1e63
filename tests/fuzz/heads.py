"""Heads of answers: status lines and fields, good, odd, repeated, folded, broken and endless."""

from random import Random

from tests.fuzz.fields import FRAMING, OTHERS

_STATUSES = (200,) * 12 + (206, 206, 301, 302, 303, 307, 308, 403, 404, 429, 500, 503)
_ODD_LINES = (
    *(
        "HTTP/0.9 200 OK",
        "HTTP/2 200",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 000 x",
        "HTTP/1.1 200",
        "ICY 200",
    ),
    *("HTTP/1.1 200 \x00", "HTTP/1.1 101 Switching", "http/1.1 200 OK", "HTTP/1.1 2 00", "HTTP/1.1 -200 OK", ""),
    *("HTTP/1.1 \u0662\u0660\u0660 OK", "<html>", '{"a":1}', "SSH-2.0-x", "HTTP/1.1 200 " + "x" * 70_000, "HTTP/1.1"),
)


def head(random: Random, length: int, port: int, *, is_chunked: bool = False) -> bytes:
    """A head in front of a body of `length` bytes, which perhaps says so."""
    lines = [_status_line(random)]
    if random.random() < 0.75:
        space = random.choice(("",) * 40 + ("\x85", "\xa0", "\x0b", "\t"))
        lines.append("Transfer-Encoding: chunked" + space if is_chunked else f"Content-Length: {length}{space}")
    lines += [_line(random, port) for _ in range(random.choice((0, 1, 2, 3, 6)))]
    if random.random() < 0.02:
        lines += [random.choice(("X: y", "Set-Cookie: a=b", "x" * 200 + ": 1"))] * random.choice((99, 1000, 20_000))
    tail = lines[1:]
    if random.random() < 0.2:
        random.shuffle(tail)
    end = random.choice(("\r\n",) * 8 + ("\n",))
    head = end.join([lines[0], *tail, "", ""])
    interim = "HTTP/1.1 100 Continue\r\n\r\n" * random.choice((0,) * 16 + (1, 2, 3000))
    return (interim + head).encode("utf-8" if random.random() < 0.2 else "latin-1", "xmlcharrefreplace")


def _status_line(random: Random) -> str:
    if random.random() < 0.06:
        return random.choice(_ODD_LINES)
    status = random.choice(_STATUSES) if random.random() < 0.93 else random.randrange(100, 1000)
    return f"HTTP/1.{random.choice((1, 1, 1, 1, 0))} {status} Said"


def _line(random: Random, port: int) -> str:
    name, make = random.choice(tuple((FRAMING if random.random() < 0.08 else OTHERS).items()))
    line = f"{name}: {make(random, port)}"
    kind = random.randrange(60)
    if kind == 0:
        return line.replace(": ", random.choice((" : ", ":", ":\t ", "", ":\x00", ":: ")), 1)
    if kind == 1:
        return line.replace(" ", random.choice(("\r\n ", "\r\n\t", "\n ", "\r ")), 1)
    if kind == 2:
        return random.choice(
            ("no colon", ": nameless", " folded", "\x00", "X\xff: y", "a b: c", "\t", "=?utf-8?Q?a?=: b")
        )
    return line.upper() if kind == 3 else line
