import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from structlog.testing import capture_logs

from shared.broker.consumer import Consumer, Delivery
from shared.broker.declare import declare
from shared.topology import INTAKE, TASKS
from tests.integration.broker.polling import eventually
from tests.integration.broker.proxy import Proxy

DOWNLOADS = "outlast.download"
Start = Callable[..., Consumer]


@pytest.fixture
def start(amqp_url: str) -> Iterator[Start]:
    """Starts consumers, which are stopped at the end."""
    consumers: list[Consumer] = []

    def start(
        handle: Callable[[Delivery], None],
        *,
        url: str = amqp_url,
        queue: str = DOWNLOADS,
        prefetch: int = 10,
        heartbeat: int = 15,
    ) -> Consumer:
        consumer = Consumer(url, queue, handle, prefetch=prefetch, name="test consumer", heartbeat=heartbeat)
        consumers.append(consumer)
        consumer.start()
        return consumer

    yield start
    for consumer in consumers:
        consumer.stop()


def publish(channel: BlockingChannel, body: bytes = b"{}") -> None:
    channel.basic_publish(TASKS, "download", body)


def depth(channel: BlockingChannel, queue: str = DOWNLOADS) -> int:
    """Messages that are ready and in nobody's hands."""
    return int(channel.queue_declare(queue, passive=True).method.message_count)


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
    publish(channel, b"second")
    received.get(timeout=5).ack()
    assert consumer.connected
    assert received.empty()
    assert proxy.accepted == 1


def test_a_consumer_returns_after_its_queue_was_deleted_and_declared_again(
    start: Start, declared: str, channel: BlockingChannel
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put)
    eventually(lambda: consumer.connected)
    assert consumer.down_since is None
    channel.queue_delete(DOWNLOADS)
    eventually(lambda: not consumer.connected)
    assert consumer.down_since is not None
    assert consumer.down_since <= time.monotonic()
    declare(declared)
    publish(channel, b"after")
    assert received.get(timeout=10).body == b"after"
    assert consumer.connected


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


def test_an_ack_for_a_connection_that_is_gone_does_nothing(
    start: Start, declared: str, channel: BlockingChannel, proxy: Proxy
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put, url=proxy.url)
    publish(channel)
    old = received.get(timeout=5)
    proxy.cut()
    new = received.get(timeout=10)
    assert new.redelivered
    old.ack()
    old.requeue()
    new.ack()
    publish(channel, b"next")
    assert received.get(timeout=5).body == b"next"
    assert consumer.connected


def test_a_peer_that_falls_silent_is_left_after_about_a_heartbeat(
    start: Start, declared: str, channel: BlockingChannel, proxy: Proxy
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put, url=proxy.url, heartbeat=1)
    eventually(lambda: consumer.connected)
    proxy.fall_silent()
    publish(channel, b"unheard")
    eventually(lambda: not consumer.connected, 15)
    proxy.speak()
    assert received.get(timeout=15).body == b"unheard"


def test_a_refused_connection_and_many_cuts_leave_no_thread_and_no_socket(
    start: Start, declared: str, channel: BlockingChannel, proxy: Proxy
) -> None:
    received: Queue[Delivery] = Queue()
    consumer = start(received.put, url=proxy.url)
    eventually(lambda: consumer.connected)
    before = _threads_and_files()
    for _ in range(5):
        proxy.cut()
        eventually(lambda: not consumer.connected)
        eventually(lambda: consumer.connected)
    eventually(lambda: _threads_and_files() <= before)
    publish(channel)
    assert received.get(timeout=5).redelivered is False


def test_without_its_queue_a_consumer_keeps_trying_is_not_connected_and_stops_at_once(
    start: Start, proxy: Proxy
) -> None:
    consumer = start(lambda delivery: None, url=proxy.url)
    began = time.monotonic()
    eventually(lambda: proxy.accepted > 2)
    assert not consumer.connected
    assert consumer.down_since is not None
    assert consumer.down_since <= began
    consumer.stop()
    assert time.monotonic() - began < 5


def _threads_and_files() -> tuple[int, int]:
    return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
