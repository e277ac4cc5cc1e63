import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.publisher import MOST_HINTS, Publisher, Sent
from shared.errors import Failure
from shared.reasons import Reason
from shared.topology import INTAKE, RESULTS, TASKS
from tests.integration.broker.nodes import Node
from tests.integration.broker.polling import eventually
from tests.integration.broker.proxy import Proxy

KEY = "asset.complete.acme"
DOWNLOADS = "outlast.download"


@pytest.fixture
def outcomes() -> list[str]:
    return []


@pytest.fixture
def publisher(declared: str, outcomes: list[str]) -> Iterator[Publisher]:
    publisher = Publisher(declared, on_outcome=outcomes.append)
    publisher.start()
    yield publisher
    publisher.stop()


@pytest.fixture
def far_publisher(declared: str, proxy: Proxy) -> Iterator[Publisher]:
    """A publisher behind the proxy, connected."""
    publisher = Publisher(proxy.url)
    publisher.start()
    eventually(lambda: publisher.connected)
    yield publisher
    proxy.speak()
    publisher.stop()


def send(
    publisher: Publisher, body: bytes = b"{}", *, exchange: str = RESULTS, key: str = KEY, timeout: float = 5
) -> Sent:
    return publisher.send(
        exchange, key, body, message_id=str(uuid4()), headers={"traceparent": "00-1-2-01"}, timeout=timeout
    )


def why(failure: pytest.ExceptionInfo[Failure]) -> object:
    assert failure.value.reason is Reason.BROKER
    return failure.value.evidence["why"]


def test_a_confirmed_message_is_in_its_queue_as_it_was_sent(publisher: Publisher, channel: BlockingChannel) -> None:
    sent = publisher.send(RESULTS, KEY, b'{"a":1}', message_id="m-1", headers={"traceparent": "t"}, timeout=5)
    assert sent is Sent.CONFIRMED
    method, properties, body = channel.basic_get(RESULTS, auto_ack=True)
    assert body == b'{"a":1}'
    assert method.routing_key == KEY
    assert (properties.message_id, properties.headers["traceparent"]) == ("m-1", "t")
    assert (properties.content_type, properties.delivery_mode) == ("application/cloudevents+json", 2)


def test_a_message_of_256_kib_arrives_whole(publisher: Publisher, channel: BlockingChannel) -> None:
    body = b"x" * 256 * 1024
    assert send(publisher, body, exchange=INTAKE, key="acme.x") is Sent.CONFIRMED
    assert channel.basic_get(INTAKE, auto_ack=True)[2] == body


def test_a_message_without_a_queue_is_unroutable_until_the_binding_is_back(
    publisher: Publisher, channel: BlockingChannel
) -> None:
    channel.queue_unbind(RESULTS, RESULTS, "#")
    assert [send(publisher) for _ in range(3)] == [Sent.UNROUTABLE] * 3
    channel.queue_bind(RESULTS, RESULTS, "#")
    assert send(publisher) is Sent.CONFIRMED


def test_a_hint_without_a_queue_is_counted_and_the_next_one_flows_after_the_repair(
    publisher: Publisher, outcomes: list[str], channel: BlockingChannel
) -> None:
    channel.queue_unbind(DOWNLOADS, TASKS, "download")
    publisher.hint("download", b"{}", {})
    eventually(lambda: outcomes == ["unroutable"])
    channel.queue_bind(DOWNLOADS, TASKS, "download")
    publisher.hint("download", b"{}", {})
    eventually(lambda: outcomes == ["unroutable", "confirmed"])


def test_a_full_intake_refuses_the_newest_event_and_keeps_the_connection(
    node: Node, far_publisher: Publisher, proxy: Proxy, channel: BlockingChannel, declared: str
) -> None:
    node.limit_length(declared.rpartition("/")[2], INTAKE, 1)
    eventually(lambda: _is_full(far_publisher))
    for _ in range(5):
        with pytest.raises(Failure) as failure:
            send(far_publisher, exchange=INTAKE, key="acme.x")
        assert why(failure) == "rejected"
    channel.queue_purge(INTAKE)
    eventually(lambda: not _is_full(far_publisher))
    assert proxy.accepted == 1


def test_an_exchange_that_is_not_there_fails_only_its_own_message(publisher: Publisher) -> None:
    with pytest.raises(Failure) as failure:
        send(publisher, exchange="no.such.exchange")
    assert failure.value.evidence == {"why": "refused", "code": 404}
    assert send(publisher) is Sent.CONFIRMED


def test_hints_wait_for_the_connection_and_the_oldest_give_way(
    declared: str, outcomes: list[str], channel: BlockingChannel
) -> None:
    publisher = Publisher(declared, on_outcome=outcomes.append)
    for number in range(MOST_HINTS + 5):
        publisher.hint("download", str(number).encode(), {})
    assert outcomes == ["dropped"] * 5
    publisher.start()
    eventually(lambda: outcomes.count("confirmed") == MOST_HINTS)
    publisher.stop()
    assert len(outcomes) == MOST_HINTS + 5
    method, properties, body = channel.basic_get(DOWNLOADS, auto_ack=True)
    assert (body, method.message_count) == (b"5", MOST_HINTS - 1)
    assert properties.delivery_mode == 1


def test_stop_sends_what_waits(declared: str, outcomes: list[str], channel: BlockingChannel) -> None:
    publisher = Publisher(declared, on_outcome=outcomes.append)
    publisher.start()
    eventually(lambda: publisher.connected)
    for _ in range(50):
        publisher.hint("verify", b"{}", {})
    publisher.stop()
    assert outcomes == ["confirmed"] * 50
    assert not publisher.connected


def test_after_the_stop_a_send_fails_and_a_hint_is_dropped(publisher: Publisher, outcomes: list[str]) -> None:
    publisher.stop()
    publisher.hint("download", b"{}", {})
    assert outcomes == ["dropped"]
    with pytest.raises(Failure) as failure:
        send(publisher)
    assert why(failure) == "stopped"


def test_a_broker_that_is_away_costs_each_send_its_timeout_and_no_more() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        publisher = Publisher(f"amqp://guest:guest@127.0.0.1:{taken.getsockname()[1]}/")
        publisher.start()
        began = time.monotonic()
        with pytest.raises(Failure) as failure:
            send(publisher, timeout=0.5)
        assert time.monotonic() - began < 2
        assert failure.value.evidence == {"why": "not_connected", "error": "ConnectionRefusedError"}
        publisher.stop()


def test_a_confirm_that_never_comes_ends_every_waiting_send_in_its_own_time(
    far_publisher: Publisher, proxy: Proxy
) -> None:
    proxy.fall_silent()
    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        sends = [pool.submit(send, far_publisher, timeout=1) for _ in range(8)]
        for future in sends:
            with pytest.raises(Failure):
                future.result()
    assert time.monotonic() - began < 4
    proxy.speak()
    assert send(far_publisher) is Sent.CONFIRMED


def test_a_late_confirm_is_not_credited_to_the_next_message(
    far_publisher: Publisher, proxy: Proxy, channel: BlockingChannel
) -> None:
    proxy.fall_silent()
    with pytest.raises(Failure) as failure:
        send(far_publisher, timeout=0.5)
    assert why(failure) == "no_confirm"
    channel.queue_unbind(RESULTS, RESULTS, "#")
    proxy.speak()
    assert send(far_publisher) is Sent.UNROUTABLE


def test_a_connection_cut_while_idle_loses_no_message(far_publisher: Publisher, proxy: Proxy) -> None:
    for _ in range(5):
        proxy.cut()
        assert send(far_publisher) is Sent.CONFIRMED


def test_many_threads_send_at_once_and_everything_arrives_once(publisher: Publisher, channel: BlockingChannel) -> None:
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(send, publisher, str(number).encode()) for number in range(400)]
        assert {future.result() for future in futures} == {Sent.CONFIRMED}
    bodies = [channel.basic_get(RESULTS, auto_ack=True)[2] for _ in range(400)]
    assert sorted(int(body) for body in bodies) == list(range(400))


def _is_full(publisher: Publisher) -> bool:
    try:
        send(publisher, exchange=INTAKE, key="acme.x")
    except Failure as failure:
        return failure.evidence["why"] == "rejected"
    return False
