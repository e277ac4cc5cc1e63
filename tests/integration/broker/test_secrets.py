"""Bodies may hold links and URLs hold passwords: neither reaches a log or an exception, whatever goes wrong."""

import logging
import traceback
from queue import Queue

import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import UnroutableError
from structlog.testing import capture_logs

from shared.broker.consumer import Consumer, Delivery
from shared.broker.declare import declare
from shared.broker.publisher import Publisher, Sent
from shared.errors import Failure, UsageError
from shared.topology import INTAKE, RESULTS, TASKS
from tests.integration.broker.nodes import Node
from tests.integration.broker.polling import eventually
from tests.integration.broker.proxy import Proxy

CANARY = "https://store.example/out.mp4?sig=canary-5b7e"
BODY = f'{{"url": "{CANARY}"}}'.encode()


def test_a_body_reaches_no_log_and_no_exception(
    node: Node, declared: str, channel: BlockingChannel, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    errors: list[str] = []
    with capture_logs() as logs:
        _send_in_vain(node, declared, channel, proxy, errors)
        _receive_in_vain(proxy, channel)
        channel.confirm_delivery()
        with pytest.raises(UnroutableError):
            channel.basic_publish(TASKS, "nobody", BODY, mandatory=True)
    assert len(errors) == 3
    assert logs
    _assert_clean([*errors, str(logs), caplog.text], "canary-5b7e")


def test_a_password_reaches_no_log_and_no_exception(
    node: Node, amqp_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = node.url(amqp_url.rpartition("/")[2], password="canary-5b7e")
    with capture_logs() as logs:
        publisher = Publisher(url)
        consumer = Consumer(url, INTAKE, lambda delivery: None, prefetch=1, name="intake")
        publisher.start()
        consumer.start()
        with pytest.raises(UsageError) as refused:
            declare(url)
        with pytest.raises(Failure) as failed:
            publisher.send(RESULTS, "x", b"{}", message_id="m", headers={}, timeout=0.5)
        eventually(lambda: {"publisher_disconnected", "consumer_lost"} <= {entry["event"] for entry in logs})
        publisher.stop()
        consumer.stop()
    assert failed.value.evidence == {"why": "not_connected", "error": "AccessRefused"}
    texts = ["".join(traceback.format_exception(error.value)) for error in (refused, failed)]
    _assert_clean([*texts, str(logs), caplog.text], "canary-5b7e")


def _send_in_vain(node: Node, declared: str, channel: BlockingChannel, proxy: Proxy, errors: list[str]) -> None:
    publisher = Publisher(proxy.url)
    publisher.start()
    channel.queue_unbind(RESULTS, RESULTS, "#")

    def send(exchange: str) -> Sent | None:
        try:
            return publisher.send(exchange, "acme.x", BODY, message_id="m", headers={"h": CANARY}, timeout=1)
        except Failure as failure:
            errors.append(f"{failure.evidence}" + "".join(traceback.format_exception(failure)))
        return None

    assert send(RESULTS) is Sent.UNROUTABLE
    send("no.such.exchange")
    node.limit_length(declared.rpartition("/")[2], INTAKE, 1)
    eventually(lambda: send(INTAKE) is None)
    proxy.fall_silent()
    send(INTAKE)
    proxy.speak()
    publisher.stop()


def _receive_in_vain(proxy: Proxy, channel: BlockingChannel) -> None:
    received: Queue[Delivery] = Queue()

    def handle(delivery: Delivery) -> None:
        received.put(delivery)
        raise ValueError(delivery.body)

    consumer = Consumer(proxy.url, INTAKE, handle, prefetch=1, name="intake")
    consumer.start()
    assert CANARY not in repr(received.get(timeout=5))
    proxy.cut()
    received.get(timeout=5)
    channel.queue_delete(INTAKE)
    eventually(lambda: not consumer.connected)
    consumer.stop()


def _assert_clean(texts: list[str], secret: str) -> None:
    for text in texts:
        assert secret not in text
