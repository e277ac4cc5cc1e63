"""Scripts for the fault server: the good answer, and the common ways of a bad one."""

from collections.abc import Callable, Iterable, Mapping

from tests.faults.server import Line, Script


def head(status: int = 200, *fields: str, version: str = "1.1") -> bytes:
    """A status line and header fields, each given as `Name: value`."""
    lines = [f"HTTP/{version} {status} Said", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def raw(*parts: bytes) -> Script:
    """These bytes, then the end."""
    return lambda line: line.send(*parts)


def answer(body: bytes = b"", *fields: str, status: int = 200, length: int | None = None) -> Script:
    """A body with its length, or with the length of a lie."""
    return raw(head(status, f"Content-Length: {len(body) if length is None else length}", *fields), body)


def closing(body: bytes, *fields: str, version: str = "1.0") -> Script:
    """A body of no stated length, ended by the end of the connection."""
    return raw(head(200, *fields, version=version), body)


def chunks(blocks: Iterable[bytes]) -> bytes:
    """Blocks in the chunked coding, without the last chunk."""
    return b"".join(b"%x\r\n%b\r\n" % (len(block), block) for block in blocks)


def chunked(*blocks: bytes, fields: Iterable[str] = (), last: bytes = b"0\r\n\r\n") -> Script:
    """A chunked body; `last` is how it ends."""
    return raw(head(200, "Transfer-Encoding: chunked", *fields), chunks(blocks), last)


def redirect(location: str, status: int = 302) -> Script:
    """A redirect."""
    return answer(b"", f"Location: {location}", status=status)


def in_turn(*scripts: Script) -> Script:
    """The nth script for the nth connection; the last one for all further ones."""
    return lambda line: scripts[min(line.number, len(scripts) - 1)](line)


def routes(scripts: Mapping[str, Script | Callable[[Line], None]]) -> Script:
    """A script by path, 404 for others."""

    def lead(line: Line) -> None:
        path = line.request.target.partition("?")[0]
        scripts.get(path, answer(b"not here", status=404))(line)

    return lead
