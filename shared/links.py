"""What may be said of a link: its host and a digest of its path, never the link."""

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Place:
    """A link's host in lower case and the SHA-256 of its path; both empty for what is no link."""

    host: str
    path_sha256: str


def place_of(url: str) -> Place:
    """The place of a link; never raises, as the guard judges links, not this."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()[:253]
    except ValueError:
        return Place("", "")
    return Place(host if host.isprintable() else "", sha256(parts.path.encode(errors="replace")).hexdigest())
