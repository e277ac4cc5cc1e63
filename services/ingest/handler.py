"""The intake queue's reader: each body becomes a recorded event or a recorded rejection, then it is acked."""

import queue
from collections.abc import Callable
from hashlib import sha256
from threading import Event, Thread

import structlog

from services.ingest.gate import Gate
from services.ingest.reader import Reader
from shared.broker.consumer import Consumer, Delivery
from shared.db import Database
from shared.errors import Failure
from shared.messages import Fault, Rejected
from shared.telemetry import metrics
from shared.topology import speaker_of

log = structlog.get_logger(__name__)

READERS = 4
REDELIVERIES = 3
"""A body that ended its reader this often is rejected unread."""
DATABASE_PAUSE_SECONDS = 2.0


class Intake:
    """Hands deliveries to the reader on a few threads, and consumes only while the database answers."""

    def __init__(self, database: Database, reader: Reader) -> None:
        self._database = database
        self._reader = reader
        self._gate = Gate()
        self._waiting: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._stopping = Event()
        self._consumer: Consumer | None = None
        self._innocent: set[str] = set()

    def attach(self, consumer: Consumer) -> None:
        """Name the consumer that delivers to `take`, so that it can be paused."""
        self._consumer = consumer

    def start(self) -> None:
        """Start the readers."""
        jobs: list[Callable[[], None]] = [*([self._read] * READERS), self._resume]
        for number, job in enumerate(jobs):
            Thread(target=job, name=f"intake-{number}", daemon=True).start()

    def stop(self) -> None:
        """End the readers; what is unread returns to the queue with the connection."""
        self._stopping.set()

    def take(self, delivery: Delivery) -> None:
        """Keep a delivery for the next free reader."""
        self._waiting.put(delivery)

    def _read(self) -> None:
        while not self._stopping.is_set():
            try:
                delivery = self._waiting.get(timeout=0.5)
            except queue.Empty:
                continue
            with self._gate.alone() if delivery.redelivered else self._gate.shared():
                self._handle(delivery)

    def _handle(self, delivery: Delivery) -> None:
        """Read -> accept -> ack; a database that is away returns the body to the queue."""
        try:
            self._store(delivery)
            delivery.ack()
        except Failure as failure:
            log.warning("intake_paused", reason=str(failure.reason))
            self._innocent.add(_digest(delivery))
            self._pause()
            delivery.requeue()
        except Exception:
            # Only a fault of the program comes here; the broker keeps the body and its return is counted.
            log.exception("intake_broke")
            delivery.requeue()

    def _store(self, delivery: Delivery) -> None:
        digest = _digest(delivery)
        try:
            self._count_return(delivery, digest)
            self._reader.read(delivery)
        except Rejected as rejected:
            self._reject(delivery, digest, rejected)
        if delivery.redelivered:
            self._database.run("redelivery_ended", body_sha256=digest)

    def _count_return(self, delivery: Delivery, digest: str) -> None:
        if not delivery.redelivered:
            return
        if digest in self._innocent:
            # It came back because the database was away, not because it ended a reader.
            self._innocent.discard(digest)
            self._database.run("redelivery_ended", body_sha256=digest)
            return
        row = self._database.one("redelivered", body_sha256=digest)
        if row is not None and row["times"] >= REDELIVERIES:
            raise Rejected(Fault.REDELIVERED, f"the body ended its reader {row['times']} times")

    def _reject(self, delivery: Delivery, digest: str, rejected: Rejected) -> None:
        account = speaker_of(delivery.routing_key)
        self._database.run(
            "reject_event",
            account=account,
            body_sha256=digest,
            body_bytes=len(delivery.body),
            reason=rejected.reason,
            detail=rejected.detail,
        )
        metrics.EVENTS.add(outcome="rejected")
        log.warning(
            "event_rejected", account=account, reason=rejected.reason, detail=rejected.detail, body_sha256=digest
        )

    def _pause(self) -> None:
        if self._consumer is not None:
            self._consumer.pause()

    def _resume(self) -> None:
        """Consume again as soon as the database answers; harmless while it is not paused."""
        while not self._stopping.wait(DATABASE_PAUSE_SECONDS):
            try:
                self._database.check()
            except Failure:
                self._pause()
            except Exception:
                log.exception("intake_check_broke")
                self._pause()
            else:
                if self._consumer is not None:
                    self._consumer.resume()


def _digest(delivery: Delivery) -> str:
    return sha256(delivery.body).hexdigest()
