"""Webhooks that carry a signed token (RFC 7519) in a header."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from services.ingest.webhooks.public_keys import PublicKeys
from services.ingest.webhooks.request import Request
from services.ingest.webhooks.unproven import Unproven, Why
from shared.providers.webhook import Webhook

ALGORITHM = "RS256"
"""The only algorithm, whatever a token says of itself (RFC 8725, 3.1)."""
LATEST = 1e11
"""No time in a token is later, in unix seconds."""


def check(webhook: Webhook, request: Request, keys: PublicKeys, now: datetime, audience: str) -> bool:
    """Check the token, and say whether it proves the body too.

    It must be signed by a key of the provider, for `audience`, and of now. It proves the body only where the entry
    names the claim that holds the body's SHA-256. Gemini documents none (ai.google.dev/gemini-api/docs/webhooks, read
    in 2026), so there whoever has seen a token may send another body with it until it ends.
    Raises Unproven, and Failure where the provider's keys cannot be had now.
    """
    claims = _claims(webhook, _token(webhook, request), keys, webhook.audience or audience)
    _check_times(claims, now.timestamp(), webhook.tolerance_seconds)
    if webhook.body_claim is None:
        return False
    if claims.get(webhook.body_claim) not in _digests(request.body):
        raise Unproven(Why.BAD_TOKEN)
    return True


def _token(webhook: Webhook, request: Request) -> bytes:
    header = webhook.signature or ""
    if not request.values(header):
        raise Unproven(Why.NO_SIGNATURE)
    return request.only(header).removeprefix(webhook.prefix.encode())


def _claims(webhook: Webhook, token: bytes, keys: PublicKeys, audience: str) -> Mapping[str, Any]:
    why = Why.NO_KEY
    for key in keys.candidates(webhook.jwks or "", _key_id(token)):
        if isinstance(key, RSAPublicKey):
            found = _verified(token, key, audience)
            if not isinstance(found, Why):
                return found
            why = found
    raise Unproven(why)


def _key_id(token: bytes) -> str | None:
    try:
        key_id: str | None = jwt.get_unverified_header(token).get("kid")
    except jwt.InvalidTokenError:
        raise Unproven(Why.BAD_TOKEN) from None
    return key_id


def _verified(token: bytes, key: RSAPublicKey, audience: str) -> Mapping[str, Any] | Why:
    """The claims, with their times unchecked: the library's clock is this machine's."""
    try:
        return jwt.decode(
            token,
            key,
            [ALGORITHM],
            {"verify_exp": False, "verify_nbf": False, "verify_iat": False},
            audience=audience,
        )
    except jwt.InvalidSignatureError:
        return Why.BAD_SIGNATURE
    except jwt.PyJWTError:
        return Why.BAD_TOKEN


def _check_times(claims: Mapping[str, Any], now: float, tolerance: float) -> None:
    """A token without an end ends when its time of issue is `tolerance` old."""
    issued, starts = _seconds(claims, "iat"), _seconds(claims, "nbf")
    ends = _seconds(claims, "exp") or issued
    if ends is None:
        raise Unproven(Why.BAD_TIMESTAMP)
    if now - ends > tolerance:
        raise Unproven(Why.TOO_OLD)
    if max(issued or 0.0, starts or 0.0) - now > tolerance:
        raise Unproven(Why.TOO_NEW)


def _seconds(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or not 0 < value < LATEST:
        raise Unproven(Why.BAD_TIMESTAMP)
    return float(value)


def _digests(body: bytes) -> tuple[str, ...]:
    """Every way in which a claim may write the digest of the body."""
    digest = sha256(body).digest()
    coded = [code(digest).decode() for code in (b64encode, urlsafe_b64encode)]
    return digest.hex(), *coded, *(each.rstrip("=") for each in coded)
