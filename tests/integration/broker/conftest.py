"""The topology in a test's own virtual host, and ways to look at it, change it and disturb it from outside."""

from collections.abc import Callable, Iterator
from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.consumer import Consumer, Delivery
from shared.broker.declare import declare
from tests.integration.broker.hints import DOWNLOADS, Start
from tests.integration.broker.nodes import Node
from tests.integration.broker.proxy import Proxy


@pytest.fixture(scope="session")
def node(servers: dict[str, Any]) -> Node:
    """The node that all tests share and none disturbs."""
    found = servers["rabbitmq"]
    return Node(**{name: found[name] for name in Node.__dataclass_fields__})


@pytest.fixture
def declared(amqp_url: str) -> str:
    """The URL of a fresh virtual host with the topology in it, as an administrator."""
    declare(amqp_url)
    return amqp_url


@pytest.fixture
def channel(amqp_url: str) -> Iterator[BlockingChannel]:
    """A plain channel of the administrator, to look at and to change the broker from outside."""
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        yield connection.channel()


@pytest.fixture
def proxy(amqp_url: str) -> Iterator[Proxy]:
    """A proxy in front of the broker."""
    proxy = Proxy(amqp_url)
    try:
        yield proxy
    finally:
        proxy.close()


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
