"""A fresh virtual host for each test, on the common stack or else on a node of this worker's own."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.declare import declare
from tests.integration.broker.nodes import Node, OwnNode
from tests.integration.broker.proxy import Proxy


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that all tests share and none disturbs."""
    stack = os.environ.get("OUTLAST_TEST_STACK")
    if stack:
        found = json.loads(Path(stack).read_text(encoding="utf-8"))["rabbitmq"]
        yield Node(**{name: found[name] for name in Node.__dataclass_fields__})
        return
    own = OwnNode(tmp_path_factory.mktemp("node"))
    try:
        yield own.start()
    finally:
        own.end()


@pytest.fixture
def amqp_url(node: Node) -> Iterator[str]:
    """The administrator's URL of an empty virtual host."""
    with node.virtual_host() as url:
        yield url


@pytest.fixture
def declared(amqp_url: str) -> str:
    """The same, with the topology in it."""
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
