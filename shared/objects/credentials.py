"""The key to the store, whose secret may change while the process runs."""

from collections.abc import Callable
from threading import Lock

import structlog
from minio.credentials.credentials import Credentials
from minio.credentials.providers import Provider

from shared.errors import UsageError

log = structlog.get_logger(__name__)


class Key(Provider):
    """An access key whose secret is read again after the store refused it; thread-safe."""

    def __init__(self, access_key: str, read: Callable[[], str]) -> None:
        """`read` gives the secret. Raises what it raises, here only: later the last secret is kept."""
        self._read = read
        self._reading = Lock()
        self._current = Credentials(access_key, read())

    def retrieve(self) -> Credentials:
        """The key as it was last read."""
        return self._current

    def renewed(self, refused: Credentials) -> bool:
        """Whether there is another secret than the refused one by now."""
        with self._reading:
            found = Credentials(refused.access_key, self._secret() or self._current.secret_key)
            if found != self._current:
                log.info("storage_secret_renewed")
                self._current = found
            return found != refused

    def _secret(self) -> str:
        try:
            return self._read()
        except UsageError as error:
            log.warning("storage_secret_unreadable", error=str(error))
            return ""
