"""The hooks that the settings name, in the order in which they are asked."""

from collections.abc import Iterator

from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from services.verifier.hooks import Hook
from services.verifier.hooks.clamd import Clamd
from services.verifier.hooks.review import Review
from services.verifier.hooks.scan import Scan
from shared.egress import Policy, Refused, parse
from shared.errors import UsageError
from shared.objects import Store
from shared.settings import Settings, secret_from


def chosen_hooks(settings: Settings, store: Store) -> tuple[Hook, ...]:
    """The scan before the review, so that no reviewer opens what is infected. Raises UsageError for a wrong setting."""
    return tuple(_hooks(settings, store))


def _hooks(settings: Settings, store: Store) -> Iterator[Hook]:
    if settings.clamd:
        yield Scan(Clamd(settings.clamd, settings.clamd_seconds), settings.clamd_bytes)
    if settings.review_url:
        yield _review(settings, settings.review_url.get_secret_value(), store)


def _review(settings: Settings, url: str, store: Store) -> Review:
    try:
        origin = parse(url).origin
    except Refused as refused:
        raise UsageError(f"OUTLAST_REVIEW_URL is no address that can be asked ({refused.why}).") from None
    seconds = settings.review_seconds
    connect_seconds = min(settings.connect_seconds, seconds)
    policy = Policy(origin=origin, connect_seconds=connect_seconds, idle_seconds=seconds, max_redirects=0)
    return Review(url, policy, store, _signer(secret_from(settings.review_secret_file)), seconds)


def _signer(secret: str) -> Signer | None:
    try:
        return Signer(secret) if secret else None
    except (ValueError, EmptyWebhookSecretError):
        raise UsageError("OUTLAST_REVIEW_SECRET_FILE must hold `whsec_` and base64.") from None
