"""For whom a request is, by its address alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.ingest.webhooks.address import Callback, read_path
from services.ingest.webhooks.answer import NOT_POST, UNKNOWN_ADDRESS, Declined
from services.ingest.webhooks.public_url import PublicUrl
from shared.providers import Registry
from shared.providers.webhook import KEYED_SCHEMES, Webhook


@dataclass(frozen=True)
class Addressee:
    """Whom a webhook speaks for, how it is proven and read, and where it was sent; `address` is a credential."""

    callback: Callback
    webhook: Webhook = field(repr=False)
    address: str = field(repr=False)

    @property
    def is_heard_apart(self) -> bool:
        """Whether it may wait for its provider's keys, which no other should, or be answered without the database."""
        return self.webhook.scheme in KEYED_SCHEMES or self.webhook.challenge is not None


class Addressees:
    """All callback addresses; none is kept, as the keys prove those that they made."""

    def __init__(self, url: PublicUrl, keys: Sequence[bytes], registry: Registry) -> None:
        self._url = url
        self._keys = keys
        self._registry = registry

    def find(self, method: str, path: bytes) -> Addressee:
        """The addressee of a request with this raw path. Raises Declined, in the same way for whatever is wrong."""
        if method != "POST":
            raise Declined(NOT_POST)
        own = self._url.below(path)
        callback = read_path(own, self._keys) if own is not None else None
        webhook = self._registry.find(callback.provider).webhook if callback else None
        if callback is None or webhook is None:
            raise Declined(UNKNOWN_ADDRESS)
        return Addressee(callback, webhook, self._url.whole(path))
