"""The thread that sends the parts of one upload while the next part fills."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from shared.errors import Failure
from shared.objects.multipart import MOST_PARTS, Multipart
from shared.objects.patience import patiently
from shared.reasons import Reason


class Sender:
    """Sends parts one after the other on its own thread, with at most one on the way."""

    def __init__(self, begin: Callable[[], Multipart]) -> None:
        """`begin` starts the multipart upload; it is called on the thread, with the first part."""
        self._begin = begin
        self._multipart: Multipart | None = None
        self._thread = ThreadPoolExecutor(1, "part-sender")
        self._flight: Future[None] | None = None
        self._stopped = Event()
        self._given = 0

    @property
    def upload_id(self) -> str | None:
        """The store's id of the upload, once it has begun."""
        return self._multipart.upload_id if self._multipart else None

    def give(self, data: memoryview, md5: str) -> None:
        """Wait for the part on the way, then send this one in the background.

        `data` must not change until the next `give` or `wait` returns. Raises the Failure of the part before.
        """
        self.wait()
        self._given += 1
        if self._given > MOST_PARTS:
            raise Failure(Reason.TOO_LARGE, {"parts": self._given, "part_bytes": len(data)})
        self._flight = self._thread.submit(self._send, data, md5)

    def check(self) -> None:
        """Raise the Failure of the part on the way if it has failed already; never waits."""
        if self._flight and self._flight.done():
            self._flight.result()

    def wait(self) -> None:
        """Wait until no part is on the way. Raises the Failure of the part."""
        if self._flight:
            self._flight.result()

    def complete(self) -> str | None:
        """Make the object of the parts that were given; returns its version. Raises Failure."""
        if self._multipart is None:
            raise RuntimeError("no part was given")
        return self._multipart.complete()

    def close(self) -> None:
        """End the thread, when the part on the way has been sent or has failed; it is not tried again."""
        self._stopped.set()
        self._thread.shutdown()

    def abort(self) -> None:
        """End the thread and let the store forget the parts. Never raises; may be called again."""
        self.close()
        if self._multipart:
            self._multipart.abort()

    def _send(self, data: memoryview, md5: str) -> None:
        patiently(self._stopped)(self._try, data, md5)

    def _try(self, data: memoryview, md5: str) -> None:
        self._multipart = self._multipart or self._begin()
        self._multipart.send(data, md5)
