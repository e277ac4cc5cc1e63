"""The public keys that providers sign with, and how a published set of them is read."""

import json
from collections.abc import Iterator
from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

PublicKey = Ed25519PublicKey | RSAPublicKey
KeySet = tuple[tuple[str | None, PublicKey], ...]
"""Keys, each with its id if it has one."""

MOST_KEYS = 100
"""So many keys of a set are read."""
RSA_BITS = range(2048, 8193)
"""Sizes of RSA keys that are used: RFC 7518 (3.3) asks for the least, and checking a huge one takes long."""

_ALGORITHMS = {"RSA": "RS256", "OKP": "EdDSA"}


class PublicKeys(Protocol):
    """Where a provider's public keys are found."""

    def candidates(self, address: str, key_id: str | None) -> Iterator[PublicKey]:
        """The keys of the set at an address that may have signed: those of the id, or all of them without one.

        Whoever finds that none of them fits asks on, and gets what is newly published, if anything.
        Raises Failure where the keys cannot be had now.
        """


def read_set(text: bytes) -> KeySet:
    """Read a JWK set (RFC 7517): its RSA and Ed25519 keys (RFC 8037) that check signatures; others are left out.

    Raises ValueError where there is none.
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    listed = document.get("keys") if isinstance(document, dict) else None
    keys = tuple(_keys(listed[:MOST_KEYS] if isinstance(listed, list) else []))
    if not keys:
        raise ValueError("no public key")
    return keys


def _keys(listed: list[object]) -> Iterator[tuple[str | None, PublicKey]]:
    for jwk in listed:
        # A private key is no secret here, and may take for ever to be made from its parts.
        if isinstance(jwk, dict) and "d" not in jwk and jwk.get("use", "sig") == "sig":
            key, key_id = _key(jwk), jwk.get("kid")
            if key:
                yield key_id if isinstance(key_id, str) else None, key


def _key(jwk: dict[str, object]) -> PublicKey | None:
    algorithm = _ALGORITHMS.get(str(jwk.get("kty")))
    try:
        key = PyJWK(jwk, algorithm).key if algorithm else None
    except PyJWTError:
        return None
    is_sound = isinstance(key, Ed25519PublicKey) or (isinstance(key, RSAPublicKey) and key.key_size in RSA_BITS)
    return key if is_sound else None
