"""One pika connection with one consumer, which lives until the first trouble and is never repaired."""

import contextlib
import logging
import ssl
from collections.abc import Callable
from functools import partial

import pika
import structlog
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError

from shared.broker.address import Address
from shared.broker.delivery import Delivery

log = structlog.get_logger(__name__)

CONNECT_SECONDS = 5.0
BLOCKED_SECONDS = 60.0
REQUEUE_SECONDS = 1.0
"""Pause before a message goes back whose handler failed, so that it cannot spin."""

Handle = Callable[[Delivery], None]


class ConsumerGone(Exception):  # noqa: N818 (an event of the broker)
    """The broker cancelled the consumer or closed its channel: queue deleted, or an ack too late."""


class Session:
    """A connection that consumes one queue; only `leave` and the deliveries may be used by other threads.

    Opening raises OSError or pika's AMQPError.
    """

    def __init__(self, parameters: pika.ConnectionParameters, queue: str, handle: Handle, prefetch: int) -> None:
        self._handle = handle
        self._deaf = self._leaving = False
        self._connection = pika.BlockingConnection(parameters)
        try:
            self._channel = self._connection.channel()
            self._channel.basic_qos(prefetch_count=prefetch)
            self._channel.basic_consume(queue, self._on_message)
        except BaseException:
            self.close()
            raise

    def run(self) -> None:
        """Hand over messages until `leave`. Raises ConsumerGone, or what pika does for a lost connection."""
        while not self._leaving:
            if not (self._channel.is_open and self._channel.consumer_tags):
                raise ConsumerGone
            self._connection.process_data_events(time_limit=None)

    def leave(self) -> None:
        """Hand over nothing more, and let `run` return after the acks that were asked for before."""
        self._deaf = True
        self._ask(self._leave)

    def close(self) -> None:
        """Close the connection, so that everything unsettled goes back to the queue."""
        with contextlib.suppress(AMQPError, OSError):
            self._connection.close()

    def _leave(self) -> None:
        self._leaving = True

    def _on_message(
        self,
        _channel: BlockingChannel,
        method: pika.spec.Basic.Deliver,
        properties: pika.BasicProperties,
        body: bytes,
    ) -> None:
        if self._deaf:
            return
        settle = partial(self._settle, method.delivery_tag)
        delivery = Delivery(
            body, method.routing_key, method.redelivered, properties.headers or {}, settle, properties.content_type
        )
        try:
            self._handle(delivery)
        except Exception as error:  # noqa: BLE001 (one message must not end the consumer; its text may hold a body)
            log.error("handler_failed", routing_key=method.routing_key, error=type(error).__name__)
            self._connection.call_later(REQUEUE_SECONDS, delivery.requeue)

    def _settle(self, tag: int, done: bool) -> None:
        self._ask(partial(self._settle_here, tag, done))

    def _settle_here(self, tag: int, done: bool) -> None:
        if done:
            self._channel.basic_ack(tag)
        else:
            self._channel.basic_nack(tag, requeue=True)

    def _ask(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(AMQPError):
            self._connection.add_callback_threadsafe(callback)


def parameters_of(address: Address, *, name: str, heartbeat: int) -> pika.ConnectionParameters:
    """pika's parameters; `heartbeat` in seconds."""
    # pika logs the first bytes of bodies, and every attempt with a traceback; the consumer says it once.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    return pika.ConnectionParameters(
        host=address.host,
        port=address.port,
        virtual_host=address.virtual_host,
        credentials=pika.PlainCredentials(address.user, address.password),
        heartbeat=heartbeat,
        blocked_connection_timeout=BLOCKED_SECONDS,
        socket_timeout=CONNECT_SECONDS,
        stack_timeout=2 * CONNECT_SECONDS,
        ssl_options=pika.SSLOptions(ssl.create_default_context(), address.host) if address.tls else None,
        client_properties={"connection_name": name},
    )
