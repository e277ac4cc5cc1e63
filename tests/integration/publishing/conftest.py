"""An intake on a virtual host of its own, and a producer that may speak for one account."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from shared.broker.declare import declare

Management = Callable[[str, str, object], Any]


def vhost(amqp_url: str) -> str:
    return urlsplit(amqp_url).path[1:]


def taken(management: Management, amqp_url: str) -> list[dict[str, Any]]:
    ask = {"count": 10, "ackmode": "ack_requeue_false", "encoding": "auto"}
    found: list[dict[str, Any]] = management("POST", f"queues/{vhost(amqp_url)}/outlast.intake/get", ask)
    return found


@pytest.fixture
def intake(amqp_url: str) -> str:
    declare(amqp_url)
    return amqp_url


@pytest.fixture
def one_account(intake: str, management: Management) -> Iterator[str]:
    """The URL of a user who may publish for the account `mine` only."""
    name, where = f"producer-{uuid4().hex}", vhost(intake)
    management("PUT", f"users/{name}", {"password": "secret", "tags": ""})
    management("PUT", f"permissions/{where}/{name}", {"configure": "^$", "write": "^outlast.intake$", "read": "^$"})
    topic = {"exchange": "outlast.intake", "write": "^mine\\.", "read": "^$"}
    management("PUT", f"topic-permissions/{where}/{name}", topic)
    yield f"amqp://{name}:secret@{urlsplit(intake).hostname}:{urlsplit(intake).port}/{where}"
    management("DELETE", f"users/{name}", None)
