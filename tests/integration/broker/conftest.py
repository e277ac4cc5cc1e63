"""The topology in a test's own virtual host, and ways to look at it, change it and disturb it from outside."""

from collections.abc import Iterator
from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.declare import declare
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
