"""Settling messages, pausing and stopping."""

from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pika
from pika.adapters.blocking_connection import BlockingChannel
from structlog.testing import capture_logs

from shared.broker.consumer import Consumer, Delivery
from shared.topology import INTAKE
from tests.integration.broker.hints import Start, depth, publish
from tests.integration.broker.polling import eventually
from tests.integration.broker.proxy import Proxy


def test_a_delivery_carries_what_was_published(start: Start, declared: str, channel: BlockingChannel) -> None:
    received: Queue[Delivery] = Queue()
    properties = pika.BasicProperties(headers={"traceparent": "t"})
    channel.basic_publish(INTAKE, "acme.outlast.output.ready", b'{"id":1}', properties)
    start(received.put, queue=INTAKE)
    delivery = received.get(timeout=5)
    assert (delivery.body, delivery.routing_key) == (b'{"id":1}', "acme.outlast.output.ready")
    assert delivery.redelivered is False
    assert delivery.headers["traceparent"] == "t"


def test_2000_messages_are_acked_from_8_threads_exactly_once(
    start: Start, declared: str, channel: BlockingChannel
) -> None:
    seen: Queue[Delivery] = Queue()
    with ThreadPoolExecutor(8) as pool:

        def finish(delivery: Delivery) -> None:
            delivery.ack()
            seen.put(delivery)

        consumer = start(lambda delivery: pool.submit(finish, delivery), prefetch=100)
        for number in range(2000):
            publish(channel, str(number).encode())
        deliveries = [seen.get(timeout=20) for _ in range(2000)]
    consumer.stop()
    assert sorted(int(delivery.body) for delivery in deliveries) == list(range(2000))
    assert not any(delivery.redelivered for delivery in deliveries)
    assert depth(channel) == 0
    assert seen.empty()


def test_a_handler_that_raises_gives_the_message_back_and_lives_on(
    start: Start, declared: str, channel: BlockingChannel
) -> None:
    received: Queue[Delivery] = Queue()

    def handle(delivery: Delivery) -> None:
        received.put(delivery)
        if delivery.body == b"canary" and not delivery.redelivered:
            raise ValueError("canary in the text of an error")
        delivery.ack()

    with capture_logs() as logs:
        consumer = start(handle)
        publish(channel, b"canary")
        publish(channel, b"good")
        deliveries = [received.get(timeout=5) for _ in range(3)]
    assert [delivery.body for delivery in deliveries] == [b"canary", b"good", b"canary"]
    assert deliveries[2].redelivered
    assert consumer.connected
    assert [entry["error"] for entry in logs if entry["event"] == "handler_failed"] == ["ValueError"]
    assert "canary" not in str(logs)


def test_a_requeued_message_comes_again(start: Start, declared: str, channel: BlockingChannel) -> None:
    received: Queue[Delivery] = Queue()
    start(received.put)
    publish(channel)
    received.get(timeout=5).requeue()
    assert received.get(timeout=5).redelivered


def test_only_the_first_settlement_counts(start: Start, declared: str, channel: BlockingChannel, proxy: Proxy) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put, url=proxy.url)
    publish(channel, b"first")
    first = received.get(timeout=5)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            pool.submit(first.ack)
            pool.submit(first.requeue)
    for number in range(50):
        publish(channel, str(number).encode())
        delivery = received.get(timeout=5)
        assert (delivery.body, delivery.redelivered) == (str(number).encode(), False)
        delivery.ack()
    assert consumer.connected
    assert received.empty()
    assert proxy.accepted == 1


def test_pause_gives_everything_back_and_makes_old_acks_harmless(
    start: Start, declared: str, channel: BlockingChannel
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put)
    for _ in range(3):
        publish(channel)
    old = [received.get(timeout=5) for _ in range(3)]
    consumer.pause()
    eventually(lambda: depth(channel) == 3)
    assert not consumer.connected
    assert consumer.down_since is None
    for delivery in old:
        delivery.ack()
    consumer.resume()
    again = [received.get(timeout=5) for _ in range(3)]
    assert all(delivery.redelivered for delivery in again)
    for delivery in again:
        delivery.ack()
    consumer.pause()
    eventually(lambda: not consumer.connected)
    assert depth(channel) == 0


def test_a_consumer_may_be_paused_by_its_own_handler(start: Start, declared: str, channel: BlockingChannel) -> None:
    received: Queue[Delivery] = Queue()
    consumer: Consumer

    def handle(delivery: Delivery) -> None:
        received.put(delivery)
        consumer.pause()

    for _ in range(5):
        publish(channel)
    eventually(lambda: depth(channel) == 5)
    consumer = start(handle)
    received.get(timeout=5)
    eventually(lambda: not consumer.connected and depth(channel) == 5)
    assert received.empty()


def test_acks_asked_for_before_the_stop_are_kept_and_the_rest_goes_back(
    start: Start, declared: str, channel: BlockingChannel
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put, prefetch=100)
    for _ in range(100):
        publish(channel)
    deliveries = [received.get(timeout=5) for _ in range(100)]
    for delivery in deliveries[:60]:
        delivery.ack()
    consumer.stop()
    eventually(lambda: depth(channel) == 40)
