"""One connection with publisher confirms and one publish in flight; the publisher's thread owns it."""

import time
from typing import Any

from kombu import Producer

from shared.broker.address import Address
from shared.broker.connection import connect
from shared.broker.letter import Letter, Sent
from shared.messages import BINARY, STRUCTURED

_LOOK_SECONDS = 0.001  # py-amqp spins on half a frame when the socket does not block at all


class Nacked(Exception):  # noqa: N818 (the broker's word for it)
    """The broker refused the message: a queue is full. The connection is as good as before."""


class Link:
    """A connection that publishes; `stale` once a publish ended without its answer: never publish again.

    While `blocked` (an alarm of the broker) nothing is confirmed. Opening raises OSError or amqp.AMQPError.
    """

    def __init__(self, address: Address) -> None:
        self.blocked = False
        self.stale = False
        self._acked: bool | None = None
        self._returned = False
        self._connection = connect(
            address, name="publisher", on_blocked=self._on_blocked, on_unblocked=self._on_unblocked
        )
        try:
            self._producer = Producer(self._confirming(), auto_declare=False, on_return=self._on_return)
        except BaseException:
            self.drop()
            raise

    def publish(self, letter: Letter) -> Sent:
        """Publish and wait for the broker's answer until the letter's limit.

        Raises Nacked, amqp.ChannelError when the broker refuses this very message, and TimeoutError, OSError,
        amqp.AMQPError or whatever py-amqp stumbles over when the outcome is unknown.
        """
        limit = letter.limit()
        self.stale, self._acked, self._returned = True, None, False
        self._write(letter, _rest(limit))
        while self._acked is None:
            # Frame by frame: `drain_events` starts its time-out anew at every heartbeat.
            self._connection.blocking_read(_rest(limit))
        self.stale = False
        if not self._acked:
            raise Nacked
        return Sent.UNROUTABLE if self._returned else Sent.CONFIRMED

    def tick(self) -> None:
        """Read what has arrived and keep the heartbeat; call once a second. Raises if the peer is gone."""
        try:
            while True:
                self._connection.blocking_read(_LOOK_SECONDS)
        except TimeoutError:
            self._connection.heartbeat_tick()

    def close(self) -> None:
        """Say goodbye and close. Raises as `publish` does if the peer does not answer."""
        try:
            self._connection.close()
        finally:
            self.drop()

    def drop(self) -> None:
        """Close the socket without a word."""
        self._connection.collect()

    def _confirming(self) -> Any:
        channel = self._connection.channel()
        channel.confirm_select()
        # Our own listeners in place of `confirm_publish`, which takes any confirm for the awaited one
        # and, with a listener for returns, takes an unroutable message for a good one.
        channel.events["basic_ack"].add(self._on_ack)
        channel.events["basic_nack"].add(self._on_nack)
        return channel

    def _write(self, letter: Letter, timeout: float) -> None:
        self._producer.publish(
            letter.body,
            exchange=letter.exchange,
            routing_key=letter.routing_key,
            mandatory=True,
            headers=dict(letter.headers),
            message_id=letter.message_id,
            # Whatever somebody waits for is a whole CloudEvent.
            content_type=BINARY if letter.is_hint else STRUCTURED,
            content_encoding="utf-8",
            delivery_mode="transient" if letter.is_hint else "persistent",
            timeout=timeout,
        )

    def _on_ack(self, _tag: int, _multiple: bool) -> None:
        self._acked = True

    def _on_nack(self, _tag: int, _multiple: bool) -> None:
        self._acked = False

    def _on_return(self, _error: Exception, _exchange: str, _routing_key: str, _message: object) -> None:
        self._returned = True

    def _on_blocked(self, _reason: str) -> None:
        self.blocked = True

    def _on_unblocked(self) -> None:
        self.blocked = False


def _rest(limit: float) -> float:
    rest = limit - time.monotonic()
    if rest <= 0:
        raise TimeoutError
    return rest
