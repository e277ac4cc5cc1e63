"""What may be said of a link: its host and a digest of its path, never the link."""

import re
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

_HOST = re.compile(r"[a-z0-9._-]{1,253}|[0-9a-f:.]{2,45}")


@dataclass(frozen=True)
class Place:
    """A link's host in lower case and the SHA-256 of its path; both empty for what is no link."""

    host: str
    path_sha256: str


def place_of(url: str) -> Place:
    """The place of a link; never raises, as the guard judges links, not this.

    What could not be a host is left out, as in a broken link anything may stand there, a signature too.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return Place("", "")
    return Place(host if _HOST.fullmatch(host) else "", sha256(parts.path.encode(errors="replace")).hexdigest())
