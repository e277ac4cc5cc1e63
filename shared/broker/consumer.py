"""Consuming a queue for ever: one thread that opens one pika session after the other."""

import time
from threading import Condition, Thread

import structlog

from shared.broker.address import Address
from shared.broker.backoff import delay
from shared.broker.delivery import Delivery
from shared.broker.session import Handle, Session, parameters_of

log = structlog.get_logger(__name__)

__all__ = ["Consumer", "Delivery"]

HEARTBEAT_SECONDS = 15
MOST_DELAY_SECONDS = 5.0
SETTLED_SECONDS = 10.0
"""A session that lived so long ends a row of failures."""
STOP_SECONDS = 5.0


class Consumer:
    """Hands every message of a queue to `handle`, and comes back by itself after any trouble.

    `handle` runs in the consumer's thread and must be quick; it may keep the Delivery and settle it later
    from another thread. If it raises, the message goes back to the queue and the consumer lives on.
    """

    def __init__(
        self,
        amqp_url: str,
        queue: str,
        handle: Handle,
        *,
        prefetch: int,
        name: str,
        heartbeat: int = HEARTBEAT_SECONDS,
    ) -> None:
        """`prefetch`: most unsettled messages; `name` is for people, `heartbeat` in seconds.

        Raises UsageError for a wrong URL.
        """
        self._parameters = parameters_of(Address.parse(amqp_url), name=name, heartbeat=heartbeat)
        self._queue, self._handle, self._prefetch, self._name = queue, handle, prefetch, name
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._changed = Condition()
        self._wanted, self._stopping = True, False
        self._session: Session | None = None
        self._down_since: float | None = None
        self._failures = 0
        self._trouble: str | None = None

    @property
    def connected(self) -> bool:
        """Whether the broker has an active consumer of ours."""
        return self._session is not None

    @property
    def down_since(self) -> float | None:
        """Monotonic time since when the consumer wants to consume and cannot; None if it can or is paused."""
        return self._down_since

    def start(self) -> None:
        """Start the thread; call once."""
        self._down_since = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Disconnect, so that unsettled messages go back, and end the thread (waits up to 5 s)."""
        self._want(self._wanted, stopping=True)
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def pause(self) -> None:
        """Stop consuming soon: unsettled messages go back to the queue, and their acks become no-ops.

        Called by `handle` itself, no further message reaches it.
        """
        self._want(False)

    def resume(self) -> None:
        """Consume again."""
        self._want(True)

    def _want(self, wanted: bool, *, stopping: bool = False) -> None:
        with self._changed:
            if wanted != self._wanted:
                self._down_since = time.monotonic() if wanted else None
            self._wanted, self._stopping = wanted, self._stopping or stopping
            self._changed.notify_all()
            if self._session and not self._may_consume():
                self._session.leave()

    def _may_consume(self) -> bool:
        return self._wanted and not self._stopping

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._stopping)
                if self._stopping:
                    return
            self._attempt()

    def _attempt(self) -> None:
        began = time.monotonic()
        try:
            self._consume()
        except Exception as error:  # noqa: BLE001 (whatever a lost connection makes pika raise: open another)
            lived = time.monotonic() - began
            self._failures = 0 if lived > SETTLED_SECONDS else self._failures + 1
            self._note(error)
            with self._changed:
                self._changed.wait_for(lambda: self._stopping, delay(self._failures, MOST_DELAY_SECONDS))

    def _consume(self) -> None:
        session = Session(self._parameters, self._queue, self._handle, self._prefetch)
        try:
            if self._adopt(session):
                session.run()
        finally:
            self._release(session)

    def _adopt(self, session: Session) -> bool:
        with self._changed:
            if not self._may_consume():
                return False
            self._session, self._down_since, self._trouble = session, None, None
        log.info("consumer_connected", consumer=self._name, queue=self._queue)
        return True

    def _release(self, session: Session) -> None:
        with self._changed:
            self._session = None
            self._down_since = time.monotonic() if self._wanted else None
        session.close()

    def _note(self, error: Exception) -> None:
        trouble = type(error).__name__
        if trouble != self._trouble:
            code = getattr(error, "reply_code", None)
            log.warning("consumer_lost", consumer=self._name, queue=self._queue, error=trouble, code=code)
        self._trouble = trouble
