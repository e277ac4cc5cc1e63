"""Sealing of source URLs: AES-256-GCM under a key ring, bound to the task and the source."""

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.errors import UsageError

NONCE_BYTES = 12
"""Length of a random GCM nonce (NIST SP 800-38D, 8.2)."""


class Unsealable(Exception):  # noqa: N818
    """The sealed text cannot be opened: its key is not on the ring, or it belongs to another row."""


class Vault:
    """Seals and opens texts. The sealed form is `key id, 0, nonce, ciphertext with tag`."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """`keys` maps a key id to 32 bytes; the first one seals, all of them open."""
        if not keys:
            raise UsageError("The sealing key ring is empty. Put `id:base64(32 bytes)` lines into it.")
        self._keys = {name: AESGCM(key) for name, key in keys.items()}
        self._newest = next(iter(keys))

    @classmethod
    def open_ring(cls, path: Path | None) -> "Vault":
        """Read a key ring: lines `id:base64(32 bytes)`, newest first. Raises UsageError if it is no ring."""
        if path is None:
            raise UsageError("Set OUTLAST_KEYRING_FILE to the file of sealing keys.")
        try:
            lines = path.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"Cannot read the key ring {path}.") from None
        return cls(dict(_key(line, path) for line in lines))

    def seal(self, task_id: UUID, source_id: UUID, text: str) -> bytes:
        """Seal a text for one source of one task."""
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._keys[self._newest].encrypt(nonce, text.encode(), _bound_to(task_id, source_id))
        return self._newest.encode() + b"\0" + nonce + sealed

    def unseal(self, task_id: UUID, source_id: UUID, sealed: bytes) -> str:
        """Open what `seal` made for the same task and source. Raises Unsealable otherwise."""
        name, _, rest = sealed.partition(b"\0")
        key = self._keys.get(name.decode(errors="replace"))
        if key is None:
            raise Unsealable("the key of this source is not on the ring")
        try:
            opened = key.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], _bound_to(task_id, source_id))
        except (InvalidTag, ValueError):
            raise Unsealable("the sealed source does not belong to this row") from None
        return opened.decode()


def _key(line: str, path: Path) -> tuple[str, bytes]:
    name, _, text = line.partition(":")
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if not name or len(key) != 32:
        raise UsageError(f"A line of the key ring {path} is not `id:base64(32 bytes)`.")
    return name, key


def _bound_to(task_id: UUID, source_id: UUID) -> bytes:
    return task_id.bytes + source_id.bytes
