"""The threads that send the parts of one upload while the next part fills."""

from collections.abc import Callable
from concurrent import futures
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from threading import Event, Lock

import structlog

from shared.errors import Failure
from shared.objects.buffers import MOST, Buffers
from shared.objects.multipart import MOST_PARTS, Multipart
from shared.objects.patience import patiently
from shared.reasons import Reason

log = structlog.get_logger(__name__)

Begun = Callable[[str], None]
"""Hears the store's id of a multipart upload."""


class Sender:
    """Sends parts on threads of its own, each from a buffer of the upload."""

    def __init__(self, begin: Callable[[], Multipart], begun: Begun | None, buffers: Buffers) -> None:
        """`begin` starts the multipart upload and `begun` hears of it; both are called on a thread, with a part.

        A Failure of `begun` is only logged; what else it raises ends the upload.
        """
        self._begin = begin
        self._begun = begun
        self._buffers = buffers
        self._multipart: Multipart | None = None
        self._beginning = Lock()
        self._threads = ThreadPoolExecutor(MOST, "part-sender")
        self._flights: set[Future[memoryview]] = set()
        self._stopped = Event()
        self._given = 0

    @property
    def upload_id(self) -> str | None:
        """The store's id of the upload, once it has begun."""
        return self._multipart.upload_id if self._multipart else None

    def give(self, buffer: memoryview, filled: int) -> None:
        """Send a part in the background, of the first `filled` bytes of a buffer that belongs to it from now on."""
        self._given += 1
        if self._given > MOST_PARTS:
            raise Failure(Reason.TOO_LARGE, {"parts": self._given, "part_bytes": filled})
        self._flights.add(self._threads.submit(self._send, self._given, buffer, filled))

    def next_buffer(self) -> memoryview:
        """A buffer to fill; waits for a part on its way if no other may be had. Raises the Failure of a part."""
        self._land(0)
        while (buffer := self._buffers.take()) is None:
            self._land(None)
        return buffer

    def check(self) -> None:
        """Raise the Failure of a part on its way if it has failed already; never waits."""
        for flight in self._flights:
            if flight.done():
                flight.result()

    def wait(self) -> None:
        """Wait until no part is on its way. Raises the Failure of a part."""
        for flight in self._flights:
            flight.result()

    def complete(self) -> str | None:
        """Make the object of the parts that were given; returns its version. Raises Failure."""
        if self._multipart is None:
            raise RuntimeError("no part was given")
        return self._multipart.complete()

    def close(self) -> None:
        """End the threads, when the parts on their way have been sent or have failed; none is tried again."""
        self._stopped.set()
        self._threads.shutdown()
        # One that failed stays, so that it is told again; the others would hold their buffers.
        self._flights = {flight for flight in self._flights if flight.exception()}

    def abort(self) -> None:
        """End the threads and let the store forget the parts. Never raises; may be called again."""
        self.close()
        if self._multipart:
            self._multipart.abort()

    def _land(self, timeout: float | None) -> None:
        """Put back the buffers of parts that were sent, after waiting `timeout` seconds at most for one."""
        for flight in futures.wait(self._flights, timeout, FIRST_COMPLETED).done:
            self._buffers.put(flight.result())
            self._flights.remove(flight)

    def _send(self, number: int, buffer: memoryview, filled: int) -> memoryview:
        patiently(self._stopped)(self._try, number, buffer[:filled])
        return buffer

    def _try(self, number: int, data: memoryview) -> None:
        with self._buffers.budget.listening():
            self._started().send(number, data)

    def _started(self) -> Multipart:
        with self._beginning:
            if self._multipart:
                return self._multipart
            self._multipart = self._begin()
        # Outside of the lock: whoever hears of it may take his time, and the other parts go on.
        self._tell(self._multipart)
        return self._multipart

    def _tell(self, multipart: Multipart) -> None:
        try:
            if self._begun:
                self._begun(multipart.upload_id)
        except Failure as failure:
            log.warning("upload_id_not_recorded", reason=failure.reason, **multipart.named)
