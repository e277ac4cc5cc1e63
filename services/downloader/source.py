"""One way to the bytes of an output, opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from shared.providers.keys import Key


@dataclass(frozen=True)
class Source:
    """A link, or an object of the input bucket; `url` is a credential and stays in memory."""

    source_id: UUID
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
    """What the link itself needs, being a content endpoint of the provider's API."""
    object: Mapping[str, str] | None = None
    """In place of a link: bucket, key, and version_id or etag of an object of the input bucket."""

    def end(self, now: datetime) -> datetime | None:
        """When it ends; None where that is unknown, or a guess that has passed and so may be wrong."""
        return None if self.is_guess and self.expires_at and self.expires_at <= now else self.expires_at
