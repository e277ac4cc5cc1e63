"""What stops, starves or reconfigures a broker, so these tests have a node of their own."""

import time
from collections.abc import Iterator
from queue import Queue
from uuid import uuid4

import pika
import pytest

from shared.broker.consumer import Consumer, Delivery
from shared.broker.declare import declare
from shared.broker.publisher import Publisher, Sent
from shared.errors import Failure
from shared.reasons import Reason
from shared.topology import RESULTS
from tests.integration.broker.nodes import OwnNode
from tests.integration.broker.polling import eventually


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnNode]:
    own = OwnNode(tmp_path_factory.mktemp("own"))
    yield own
    own.end()


@pytest.fixture
def url(own: OwnNode) -> Iterator[str]:
    with own.start().virtual_host() as url:
        declare(url)
        yield url


@pytest.fixture
def outcomes() -> list[str]:
    return []


@pytest.fixture
def publisher(url: str, outcomes: list[str]) -> Iterator[Publisher]:
    publisher = Publisher(url, on_outcome=outcomes.append)
    publisher.start()
    eventually(lambda: publisher.connected)
    yield publisher
    publisher.stop()


@pytest.fixture
def received() -> Queue[Delivery]:
    return Queue()


@pytest.fixture
def consumer(url: str, received: Queue[Delivery]) -> Iterator[Consumer]:
    """A consumer that acks all but `slow` messages."""

    def handle(delivery: Delivery) -> None:
        received.put(delivery)
        if delivery.body != b"slow":
            delivery.ack()

    consumer = Consumer(url, "outlast.download", handle, prefetch=10, name="trouble")
    consumer.start()
    eventually(lambda: consumer.connected)
    yield consumer
    consumer.stop()


def send(publisher: Publisher, timeout: float) -> Sent:
    return publisher.send(RESULTS, "asset.complete.acme", b"{}", message_id=str(uuid4()), headers={}, timeout=timeout)


def test_after_a_restart_of_the_broker_everybody_is_back_and_no_hint_is_lost(
    own: OwnNode, publisher: Publisher, consumer: Consumer, received: Queue[Delivery], outcomes: list[str]
) -> None:
    own.stop()
    eventually(lambda: not publisher.connected and not consumer.connected)
    assert consumer.down_since is not None
    for number in range(20):
        publisher.hint("download", str(number).encode(), {})
    began = time.monotonic()
    with pytest.raises(Failure) as failure:
        send(publisher, timeout=1)
    assert failure.value.reason is Reason.BROKER
    assert time.monotonic() - began < 3
    own.start()
    bodies = [received.get(timeout=15).body for _ in range(20)]
    assert bodies == [str(number).encode() for number in range(20)]
    eventually(lambda: outcomes == ["confirmed"] * 20)
    assert send(publisher, timeout=5) is Sent.CONFIRMED
    assert consumer.connected


def test_under_a_memory_alarm_a_send_ends_in_time_and_all_hints_go_out_after_it(
    own: OwnNode, publisher: Publisher, consumer: Consumer, received: Queue[Delivery], outcomes: list[str]
) -> None:
    own.control("set_vm_memory_high_watermark", "0")
    try:
        began = time.monotonic()
        for _ in range(3):
            with pytest.raises(Failure) as failure:
                send(publisher, timeout=1)
            assert failure.value.evidence["why"] == "blocked"
        assert time.monotonic() - began < 6
        assert not publisher.connected
        for number in range(20):
            publisher.hint("download", str(number).encode(), {})
        assert consumer.connected
        assert outcomes == []
        # No dead connections pile up at the broker, which would read and repeat their messages after the alarm.
        assert len(own.control("list_connections", "pid", "--no-table-headers").splitlines()) == 2
    finally:
        own.control("set_vm_memory_high_watermark", "0.4")
    bodies = {received.get(timeout=10).body for _ in range(20)}
    assert bodies == {str(number).encode() for number in range(20)}
    eventually(lambda: outcomes == ["confirmed"] * 20)
    assert send(publisher, timeout=5) is Sent.CONFIRMED
    assert publisher.connected


def test_a_hint_caught_by_an_alarm_in_mid_publish_arrives_after_it(
    own: OwnNode, publisher: Publisher, consumer: Consumer, received: Queue[Delivery], outcomes: list[str]
) -> None:
    own.control("set_vm_memory_high_watermark", "0")
    try:
        publisher.hint("download", b"caught", {})
        eventually(lambda: not publisher.connected)
    finally:
        own.control("set_vm_memory_high_watermark", "0.4")
    assert received.get(timeout=10).body == b"caught"
    eventually(lambda: outcomes == ["confirmed"])


def test_an_ack_after_the_brokers_own_limit_costs_the_channel_but_not_the_consumer(
    own: OwnNode, url: str, consumer: Consumer, received: Queue[Delivery]
) -> None:
    set_env = "application:set_env(rabbit, {}, {})."
    own.control("eval", set_env.format("channel_tick_interval", 200))
    own.control("eval", set_env.format("consumer_timeout", 500))
    try:
        consumer.pause()
        eventually(lambda: not consumer.connected)
        consumer.resume()
        with pika.BlockingConnection(pika.URLParameters(url)) as connection:
            connection.channel().basic_publish("outlast.tasks", "download", b"slow")
        late = received.get(timeout=5)
        again = received.get(timeout=10)
        assert (again.body, again.redelivered) == (b"slow", True)
        late.ack()
        again.ack()
        eventually(lambda: consumer.connected)
    finally:
        own.control("eval", set_env.format("consumer_timeout", 1_800_000))
