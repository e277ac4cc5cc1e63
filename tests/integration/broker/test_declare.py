import socket
from collections.abc import Iterator

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.declare import declare, verify
from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.states import Stage
from shared.topology import INTAKE, QUEUES, RESULTS, TASKS, hint_queue
from tests.integration.broker.nodes import Node

NAMES = (INTAKE, TASKS, RESULTS, *(hint_queue(stage) for stage in Stage))


@pytest.fixture
def service_url(node: Node, declared: str) -> Iterator[str]:
    """The URL of a user who may configure nothing."""
    virtual_host = declared.rpartition("/")[2]
    user, password = f"service-{virtual_host}", "secret of a service"
    node.put(f"/users/{user}", {"password": password, "tags": ""})
    node.grant(virtual_host, user, configure="^$", write="^$", read="^$")
    yield node.url(virtual_host, user, password)
    node.call("DELETE", f"/users/{user}")


def test_declaring_twice_changes_nothing(amqp_url: str, channel: BlockingChannel) -> None:
    declare(amqp_url)
    channel.basic_publish(INTAKE, "acme.outlast.output.ready", b"{}")
    declare(amqp_url)
    verify(amqp_url, NAMES)
    _, _, body = channel.basic_get(INTAKE, auto_ack=True)
    assert body == b"{}"


def test_every_queue_takes_what_its_binding_says(declared: str, channel: BlockingChannel) -> None:
    channel.confirm_delivery()
    for queue in QUEUES:
        key = queue.binding.replace("#", "acme.any.thing")
        channel.basic_publish(queue.exchange, key, b"{}", mandatory=True)
        method, _, _ = channel.basic_get(queue.name, auto_ack=True)
        assert method is not None, queue.name


def test_a_user_without_any_right_to_configure_can_verify(service_url: str) -> None:
    verify(service_url, NAMES)


def test_a_user_without_any_right_to_configure_cannot_declare(service_url: str) -> None:
    with pytest.raises(UsageError, match=r"refuses to declare the exchange outlast\.intake.*administrator"):
        declare(service_url)


def test_everything_that_is_missing_is_named(declared: str, channel: BlockingChannel) -> None:
    channel.queue_delete("outlast.verify")
    channel.exchange_delete(RESULTS)
    with pytest.raises(UsageError) as error:
        verify(declared, NAMES)
    text = str(error.value)
    assert "queue outlast.verify is missing" in text
    assert "exchange outlast.results is missing" in text
    assert "outlast.intake" not in text
    assert "`outlast migrate`" in text


def test_a_name_that_is_not_ours_is_an_error_of_the_caller(declared: str) -> None:
    with pytest.raises(ValueError, match=r"outlast\.nothing"):
        verify(declared, ["outlast.nothing"])


@pytest.mark.parametrize(
    "other",
    [{"x-queue-type": "classic"}, {"x-queue-type": "quorum", "x-delivery-limit": 5}],
    ids=["another type", "another limit"],
)
def test_a_queue_with_other_arguments_is_named_with_the_way_out(
    amqp_url: str, channel: BlockingChannel, other: dict[str, object]
) -> None:
    channel.queue_declare(INTAKE, durable=True, arguments=other)
    with pytest.raises(UsageError) as error:
        declare(amqp_url)
    text = str(error.value)
    assert "queue outlast.intake with other properties" in text
    assert "inequivalent arg" in text
    assert "delete the queue" in text


def test_a_refused_login_is_an_error_of_the_configuration(node: Node, amqp_url: str) -> None:
    url = node.url(amqp_url.rpartition("/")[2], password="wr@ng:canary")
    for check in (declare, lambda url: verify(url, NAMES)):
        with pytest.raises(UsageError, match="refuses the login") as error:
            check(url)
        assert "canary" not in str(error.value)


def test_an_unknown_virtual_host_is_an_error_of_the_configuration(node: Node) -> None:
    with pytest.raises(UsageError, match="'no-such-host'"):
        verify(node.url("no-such-host"), NAMES)


def test_a_broker_that_is_away_is_our_own_fault_and_no_usage_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"amqp://guest:guest@127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(Failure) as failure:
            verify(url, NAMES)
    assert failure.value.reason is Reason.BROKER
