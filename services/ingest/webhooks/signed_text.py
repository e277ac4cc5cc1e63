"""Signatures over a text that the provider's entry describes: HMAC-SHA256 and Ed25519."""

import hmac
import re
from base64 import b64decode
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.ingest.webhooks.public_keys import PublicKeys
from services.ingest.webhooks.request import Request
from services.ingest.webhooks.sending_time import seconds_of
from services.ingest.webhooks.unproven import Unproven, Why
from shared.providers.webhook import Webhook

MOST_SIGNATURES = 8
"""So many signatures of one webhook are tried; a rotation needs two."""

_NAME = re.compile(rb"\{([^{}]+)\}")


def check_hmac(webhook: Webhook, request: Request, secrets: Iterable[bytes], now: datetime) -> None:
    """Any signature under any of the secrets counts. Raises Unproven.

    Where the entry names no sending time, an old webhook can be sent again by who has seen it. That is harmless, as
    an event is known by its content: a repeat changes nothing.
    """
    signatures, text = _signatures(webhook, request), _text(webhook, request, now)
    expected = [hmac.digest(secret, text, "sha256") for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in expected for other in signatures):
        raise Unproven(Why.BAD_SIGNATURE)


def check_ed25519(webhook: Webhook, request: Request, keys: PublicKeys, now: datetime) -> None:
    """Any signature counts under the key that the webhook names, or under any key where it names none.

    Raises Unproven, and Failure where the provider's keys cannot be had now.
    """
    signatures, text = _signatures(webhook, request), _text(webhook, request, now)
    why = Why.NO_KEY
    for key in keys.candidates(webhook.jwks or "", _key_id(webhook, request)):
        if isinstance(key, Ed25519PublicKey):
            if any(_is_signed(key, signature, text) for signature in signatures):
                return
            why = Why.BAD_SIGNATURE
    raise Unproven(why)


def _text(webhook: Webhook, request: Request, now: datetime) -> bytes:
    """The text that must have been signed, its sending time checked."""
    if webhook.timestamp:
        seconds_of(request.only(webhook.timestamp), now, webhook.tolerance_seconds)

    def value(found: re.Match[bytes]) -> bytes:
        match found[1]:
            case b"body":
                return request.body
            case b"body_sha256":
                return sha256(request.body).hexdigest().encode()
            case name:
                return request.only(name.decode())

    # In one pass over the template, so that braces in the body stay what they are.
    return _NAME.sub(value, webhook.signed.encode())


def _signatures(webhook: Webhook, request: Request) -> list[bytes]:
    items = request.items(webhook.signature or "")
    if not items:
        raise Unproven(Why.NO_SIGNATURE)
    start = webhook.prefix.encode()
    written = [item.removeprefix(start) for item in items if item.startswith(start)]
    decoded = [_bytes(each, webhook.encoding) for each in written[:MOST_SIGNATURES]]
    return [signature for signature in decoded if signature is not None]


def _bytes(text: bytes, encoding: str) -> bytes | None:
    """A signature as bytes, with or without padding; None for what is written in another way."""
    try:
        if encoding == "hex":
            return bytes.fromhex(text.decode("ascii"))
        padded = text + b"=" * (-len(text) % 4)
        return b64decode(padded, b"-_" if encoding == "base64url" else b"+/", validate=True)
    except ValueError:
        return None


def _key_id(webhook: Webhook, request: Request) -> str | None:
    if webhook.key_id is None or not request.values(webhook.key_id):
        return None
    return request.only(webhook.key_id).decode("latin-1")


def _is_signed(key: Ed25519PublicKey, signature: bytes, text: bytes) -> bool:
    try:
        key.verify(signature, text)
    except InvalidSignature:
        return False
    return True
