"""The keys of callback addresses: a ring in a file, so that one can be changed while old addresses live on."""

from base64 import b64decode
from pathlib import Path

from shared.errors import UsageError

LEAST_BYTES = 32
"""A shorter key would be easier to guess than a token (RFC 2104, 3: a key is as long as the digest)."""


def read_keys(path: Path | None) -> tuple[bytes, ...]:
    """The keys in their order: the first makes addresses, all of them prove them.

    Raises UsageError if it is no ring, without a word of it.
    """
    if path is None:
        raise UsageError("Set OUTLAST_WEBHOOK_KEY_FILE to the file of the keys of callback addresses.")
    try:
        lines = path.read_bytes().split()
    except OSError:
        raise UsageError(f"Cannot read the keys of callback addresses in {path}.") from None
    if not lines:
        raise UsageError(f"There is no key in {path}; `openssl rand -base64 {LEAST_BYTES}` makes one.")
    return tuple(_key(line, path) for line in lines)


def _key(line: bytes, path: Path) -> bytes:
    try:
        key = b64decode(line, validate=True)
    except ValueError:
        key = b""
    if len(key) < LEAST_BYTES:
        raise UsageError(f"A line of {path} is not base64 of at least {LEAST_BYTES} bytes.")
    return key
