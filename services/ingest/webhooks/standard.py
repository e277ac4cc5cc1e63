"""Standard Webhooks: HMAC-SHA256 over id, sending time and body (standardwebhooks.com, "Signature scheme")."""

from collections.abc import Iterable
from datetime import UTC, datetime
from hmac import compare_digest

from standardwebhooks import Webhook as Signer

from services.ingest.webhooks.request import Request
from services.ingest.webhooks.sending_time import seconds_of
from services.ingest.webhooks.unproven import Unproven, Why

FAMILIES = ("webhook", "svix")
"""What the names of the three headers begin with: the specification's, and those of Svix, from which it grew."""


def check(request: Request, secrets: Iterable[bytes], now: datetime, tolerance: float) -> None:
    """Any signature of version 1 under any of the secrets counts, so that a secret can be rotated.

    The library signs and does not verify: one list item that is no signature makes its `verify` fail before a good
    one, with an error of its own, and it has a clock and a tolerance of its own.
    Raises Unproven.
    """
    family = next((name for name in FAMILIES if request.values(f"{name}-signature")), None)
    if family is None:
        raise Unproven(Why.NO_SIGNATURE)
    seconds = seconds_of(request.only(f"{family}-timestamp"), now, tolerance)
    given = b" ".join(request.values(f"{family}-signature")).split()
    expected = _signatures(request.only(f"{family}-id"), seconds, request.body, secrets)
    if not any(compare_digest(one, other) for one in expected for other in given):
        raise Unproven(Why.BAD_SIGNATURE)


def _signatures(message_id: bytes, seconds: int, body: bytes, secrets: Iterable[bytes]) -> list[bytes]:
    """What this webhook is signed with under each secret; nothing where it is no text, which JSON always is."""
    sent = datetime.fromtimestamp(seconds, UTC)
    try:
        name, text = message_id.decode(), body.decode()
    except UnicodeDecodeError:
        return []
    return [Signer(secret).sign(name, sent, text).encode() for secret in secrets]
