"""Publishing to RabbitMQ with confirms: hints that nobody waits for, and messages that somebody does."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial

import structlog

from shared.broker.address import Address
from shared.broker.dispatcher import Dispatcher
from shared.broker.letter import Letter, Sent
from shared.broker.outbox import Outbox
from shared.errors import Evidence, Failure
from shared.reasons import Reason
from shared.topology import TASKS

log = structlog.get_logger(__name__)

__all__ = ["MOST_HINTS", "Publisher", "Sent"]

MOST_HINTS = 1000
STOP_SECONDS = 5.0


class Publisher:
    """One thread with one connection that publishes for all threads of the process.

    While the broker is away or blocked by an alarm, hints stay (the newest 1000) and go out when it is back.
    """

    def __init__(self, amqp_url: str, *, on_outcome: Callable[[str], None] | None = None) -> None:
        """Raises UsageError for a wrong URL.

        `on_outcome` is called once for each hint, from any thread, with its end: `confirmed`, `unroutable`,
        `failed` (the broker refused it, or three publishes were cut off) or `dropped` (pushed out by newer
        ones, or left over at the stop). It must be quick and must not raise.
        """
        self._on_outcome = on_outcome
        self._outbox = Outbox(MOST_HINTS)
        self._dispatcher = Dispatcher(Address.parse(amqp_url), self._outbox)
        self._unroutable: set[str] = set()

    @property
    def connected(self) -> bool:
        """Whether a publish would reach the broker now; False while an alarm of the broker blocks us."""
        return self._dispatcher.state == "connected"

    def start(self) -> None:
        """Start the thread, which connects and keeps connected by itself; call once."""
        self._dispatcher.start()

    def stop(self) -> None:
        """Send what waits if the broker is there (up to 2 s), give up the rest, and disconnect."""
        self._dispatcher.stop()
        self._outbox.close()
        if self._dispatcher.is_alive():
            self._dispatcher.join(STOP_SECONDS)
        for letter in self._outbox.drain():
            letter.finish("dropped", {"why": "stopped"})

    def hint(self, routing_key: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Wake the stage of this routing key. Never blocks; a lost hint costs one poll interval."""
        letter = Letter(TASKS, routing_key, body, headers, partial(self._count, routing_key))
        if lost := self._outbox.add(letter):
            lost.finish("dropped", {})

    def send(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        *,
        message_id: str,
        headers: Mapping[str, str],
        timeout: float,
    ) -> Sent:
        """Publish a persistent message and wait up to `timeout` seconds for the broker's answer.

        UNROUTABLE: the broker has no queue for it. Raises Failure(Reason.BROKER) whose evidence `why` is
        `not_connected` (with the last `error`), `rejected` (a queue is full), `refused` (with the AMQP `code`)
        or `stopped`; or `blocked` (by an alarm), `no_confirm` or `interrupted`, and then the message may
        arrive all the same.
        """
        answer: Future[Sent] = Future()
        deadline = time.monotonic() + timeout
        letter = Letter(exchange, routing_key, body, headers, partial(_resolve, answer), message_id, deadline)
        if self._outbox.add(letter):
            raise Failure(Reason.BROKER, {"why": "stopped"})
        try:
            return answer.result(timeout)
        except TimeoutError:
            self._outbox.withdraw(letter)
            raise Failure(Reason.BROKER, self._dispatcher.why_late(letter)) from None

    def _count(self, routing_key: str, word: str, _seen: Evidence) -> None:
        if word == Sent.UNROUTABLE and routing_key not in self._unroutable:
            self._unroutable.add(routing_key)
            log.error("hints_unroutable", exchange=TASKS, routing_key=routing_key, hint="run `outlast migrate`")
        elif word == Sent.CONFIRMED:
            self._unroutable.discard(routing_key)
        if self._on_outcome:
            self._on_outcome(word)


def _resolve(answer: "Future[Sent]", word: str, seen: Evidence) -> None:
    if word in (Sent.CONFIRMED, Sent.UNROUTABLE):
        answer.set_result(Sent(word))
    else:
        answer.set_exception(Failure(Reason.BROKER, seen))
