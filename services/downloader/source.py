"""One way to the bytes of an output, opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from services.downloader.order import Endpoint
from shared.egress import Policy
from shared.links import place_of
from shared.providers.keys import Key


@dataclass(frozen=True)
class Source:
    """A link, a content endpoint, or an object of the input bucket; `url` is a credential and stays in memory."""

    source_id: UUID | None
    """Its row; None of an endpoint that the provider's entry names, which has none."""
    url: str = field(default="", repr=False)
    expires_at: datetime | None = None
    issued_at: datetime | None = None
    is_guess: bool = False
    """Whether `expires_at` is only guessed from the link."""
    refreshed: bool = False
    """Whether the provider gave it in this claim, which the claim's own count does not know."""
    deleted_at: datetime | None = None
    """When the provider's policy deletes the bytes, so that a transfer must also end by then."""
    key: Key | None = None
    """What the address itself needs, being on the provider's API."""
    endpoint: Endpoint | None = None
    """How to ask at `url` for the bytes, where the provider's entry says it: no event and no refresh gave it."""
    object: Mapping[str, str] | None = None
    """In place of a link: bucket, key, and version_id or etag of an object of the input bucket."""

    @property
    def is_fresh(self) -> bool:
        """Whether the provider was asked for the bytes or for a link to them in this claim."""
        return self.refreshed or self.endpoint is not None

    def end(self, now: datetime) -> datetime | None:
        """When it ends; None where that is unknown, or a guess that has passed and so may be wrong."""
        return None if self.is_guess and self.expires_at and self.expires_at <= now else self.expires_at

    def within(self, policy: Policy) -> Policy:
        """The policy of its provider's links; an endpoint, which may redirect to such, is on a host of its own."""
        if self.endpoint is None or not policy.hosts:
            return policy
        return replace(policy, hosts=(*policy.hosts, place_of(self.url).host))
