"""Whether a webhook comes from the provider and says what the provider said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from services.ingest.webhooks import signed_text, standard, tokens
from services.ingest.webhooks.public_keys import PublicKeys
from services.ingest.webhooks.request import Request
from shared.errors import Failure
from shared.providers.webhook import SECRET_SCHEMES, Webhook
from shared.reasons import Reason


@dataclass(frozen=True)
class Proof:
    """What is known of a webhook that may be followed.

    Where `binds_body` is false, nobody signed the body: it only says that it is time to ask for the job.
    """

    binds_body: bool


def prove(
    webhook: Webhook, request: Request, secrets: Sequence[bytes], keys: PublicKeys, now: datetime, audience: str
) -> Proof:
    """Prove a webhook by the scheme of its provider's entry, on the bytes as they came.

    `secrets` are those of the provider account, `now` is aware, `audience` is the public address it was sent to.
    Raises Unproven where it is not believed, and Failure where that cannot be told now as secrets or keys are missing:
    the sender should try again then.
    """
    # Anybody could sign with an empty one.
    if webhook.scheme in SECRET_SCHEMES and not (secrets and all(secrets)):
        raise Failure(Reason.CREDENTIAL_MISSING, {"why": "no secret proves the webhooks of this provider account"})
    match webhook.scheme:
        case "standard":
            standard.check(request, secrets, now, webhook.tolerance_seconds)
        case "hmac":
            signed_text.check_hmac(webhook, request, secrets, now)
        case "ed25519":
            signed_text.check_ed25519(webhook, request, keys, now)
        case "jwt":
            return Proof(tokens.check(webhook, request, keys, now, audience))
        case "challenge" | "unsigned":
            return Proof(binds_body=False)
    return Proof(binds_body=True)
