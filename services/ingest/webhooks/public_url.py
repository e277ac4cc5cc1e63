"""Where providers reach the door."""

from urllib.parse import urlsplit

from services.ingest.webhooks.address import path_of
from shared.errors import UsageError
from shared.settings import Settings


class PublicUrl:
    """The door's address for the world; its path stands before that of every callback address."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._base = parts.path.rstrip("/")

    @classmethod
    def of(cls, settings: Settings) -> "PublicUrl":
        """As it is set. Raises UsageError where it is not."""
        if settings.webhook_url is None:
            raise UsageError("Set OUTLAST_WEBHOOK_URL to the address under which providers reach the webhook door.")
        return cls(str(settings.webhook_url))

    def callback(self, key: bytes, account: str, provider: str, provider_account: str) -> str:
        """The address to give to a provider; a credential, as `path_of` says. Raises UsageError as that does."""
        return self.whole((self._base + path_of(key, account, provider, provider_account)).encode())

    def whole(self, path: bytes) -> str:
        """The address to which a request with this raw path was sent."""
        return self._origin + path.decode("latin-1")

    def below(self, path: bytes) -> bytes | None:
        """A raw path without that of the door itself; None for one elsewhere."""
        base = self._base.encode()
        return path.removeprefix(base) if path.startswith(base) else None
