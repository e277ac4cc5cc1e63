"""A consumer comes back by itself, whatever happened to its queue or its connection."""

import threading
import time
from pathlib import Path
from queue import Queue

from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.consumer import Delivery
from shared.broker.declare import declare
from tests.integration.broker.hints import DOWNLOADS, Start, publish
from tests.integration.broker.polling import eventually
from tests.integration.broker.proxy import Proxy


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
