"""One message that a consumer received, to be settled once from any thread."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any


class Delivery:
    """A message; its body and headers are in no repr.

    `ack` and `requeue` may be called from any thread; the first call counts, further ones do nothing, and
    neither does anything once the connection that brought the message is gone (the broker then has it back).
    """

    def __init__(
        self,
        body: bytes,
        routing_key: str,
        redelivered: bool,
        headers: Mapping[str, Any],
        settle: Callable[[bool], None],
        content_type: str | None = None,
    ) -> None:
        """`settle(True)` acks and `settle(False)` requeues; thread-safe and quick."""
        self.body = body
        self.routing_key = routing_key
        self.redelivered = redelivered
        self.headers = dict(headers)
        self.content_type = content_type
        self._settle = settle
        self._open = Lock()

    def __repr__(self) -> str:
        return f"Delivery({self.routing_key!r}, {len(self.body)} bytes, redelivered={self.redelivered})"

    def ack(self) -> None:
        """Tell the broker that the message is done."""
        self._once(True)

    def requeue(self) -> None:
        """Give the message back to its queue."""
        self._once(False)

    def _once(self, done: bool) -> None:
        # A second settlement would close the channel. The lock is taken for good by the first.
        if self._open.acquire(blocking=False):
            self._settle(done)
