"""The headers of an object: its metadata in bounded ASCII and never a URL, and its digest for the wire."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import quote, unquote

VALUE_BYTES = 256
"""Most bytes of one encoded value; a longer one is cut between characters."""

TOTAL_BYTES = 2048
"""Most bytes of names and values together, the limit of S3."""

_PREFIX = "x-amz-meta-"
# Left out are `%`, which must decode, and `=`, as S3 would read `=?...?=` as an encoded word.
_SAFE = "/:,;@()!*'+"


def headers_of(content_type: str, metadata: Mapping[str, str]) -> dict[str, str]:
    """Request headers for an object's content type and user metadata (names in lower case).

    Values are percent-encoded UTF-8. One that is empty or holds a URL (a credential, perhaps) is left out.
    Raises ValueError if all together pass `TOTAL_BYTES`.
    """
    kept = {name: encoded(value) for name, value in metadata.items() if value and "://" not in value}
    if sum(len(name) + len(value) for name, value in kept.items()) > TOTAL_BYTES:
        raise ValueError(f"metadata takes more than {TOTAL_BYTES} bytes: {', '.join(kept)}")
    return {"Content-Type": content_type, **{_PREFIX + name: value for name, value in kept.items()}}


def metadata_of(headers: Mapping[str, str]) -> dict[str, str]:
    """The decoded user metadata in response headers, names in lower case without the prefix."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {n.removeprefix(_PREFIX): unquote(v) for n, v in lower.items() if n.startswith(_PREFIX)}


def encoded(value: str) -> str:
    """The value percent-encoded, cut before the character that would pass `VALUE_BYTES`."""
    text = ""
    for character in value:
        piece = quote(character, safe=_SAFE, errors="replace")
        if len(text) + len(piece) > VALUE_BYTES:
            break
        text += piece
    return text


def content_md5(data: bytes | memoryview) -> str:
    """The value of Content-MD5, by which even a store that ignores SHA-256 refuses changed bytes."""
    return b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
