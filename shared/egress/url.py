"""The one parser of outbound URLs: what it checks is, byte for byte, what is asked for."""

import ipaddress
import re
from dataclasses import dataclass, field
from hashlib import sha256

from shared.egress.addresses import Address

MAX_URL = 16 * 1024
"""Longest URL that is accepted, in characters."""

_SHAPE = re.compile(r"(https?)://([^/?#]*)([^#]*)(?:#.*)?", re.IGNORECASE | re.ASCII)
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::([1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


class Refused(Exception):  # noqa: N818 (an outcome of judging a URL)
    """A URL is not acceptable; `why` is one fixed word and never a part of the URL."""

    def __init__(self, why: str, *, host: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.is_host = host


@dataclass(frozen=True)
class Target:
    """A URL taken apart; `path` and `query` are kept as given, except that only ASCII goes on a wire."""

    scheme: str
    host: str
    port: int
    literal: Address | None
    path: str = field(repr=False)
    query: str = field(repr=False)
    """With its question mark; empty when there is none."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what a credential is bound to."""
        return self.scheme, self.host, self.port

    @property
    def request_target(self) -> str:
        """The second word of the request line."""
        return (self.path or "/") + self.query

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if isinstance(self.literal, ipaddress.IPv6Address) else self.host
        return host if self.port == {"http": 80, "https": 443}[self.scheme] else f"{host}:{self.port}"

    @property
    def path_sha256(self) -> str:
        """The only form in which the path may be recorded."""
        return sha256(self.path.encode("ascii")).hexdigest()


def parse(url: str) -> Target:
    """Take an http or https URL apart; raises Refused for what two readers could read differently."""
    if len(url) > MAX_URL:
        raise Refused("too_long")
    if _FORBIDDEN.search(url):
        raise Refused("characters")
    if not (shape := _SHAPE.fullmatch(url)):
        raise Refused("scheme")
    scheme, (host, port, literal) = shape[1].lower(), _authority(shape[2])
    path, mark, query = _ascii(shape[3]).partition("?")
    return Target(scheme, host, port or {"http": 80, "https": 443}[scheme], literal, path, mark + query)


def _authority(text: str) -> tuple[str, int | None, Address | None]:
    if "@" in text:
        raise Refused("userinfo")
    if not (parts := _AUTHORITY.fullmatch(text)):
        raise Refused("authority")
    port = int(parts[3]) if parts[3] else None
    if port and port > 65535:
        raise Refused("authority")
    if parts[1]:
        address = _ip(parts[1])
        return str(address), port, address
    return parts[2].lower(), port, _checked_name(parts[2])


def _checked_name(host: str) -> Address | None:
    # Before lower(), which makes ASCII of some letters that are not.
    if not host.isascii() or len(host) > 253 or not all(map(_LABEL.fullmatch, host.lower().split("."))):
        raise Refused("host_form", host=True)
    # WHATWG: a last label that is a number makes the whole host an IPv4 address, in whatever notation.
    return _ip(host) if _NUMBER.fullmatch(host.lower().rpartition(".")[2]) else None


def _ip(text: str) -> Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise Refused("host_form", host=True) from None


def _ascii(text: str) -> str:
    """Percent-code what is not ASCII, and only that: signatures cover the rest as it stands."""
    if text.isascii():
        return text
    try:
        return "".join(c if c.isascii() else "".join(f"%{b:02X}" for b in c.encode()) for c in text)
    except UnicodeEncodeError:
        raise Refused("characters") from None
