"""Making the broker's side of the topology, and checking that it is there."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import kombu
from amqp.exceptions import AccessRefused, AMQPError, ChannelError, NotAllowed, NotFound, PreconditionFailed

from shared.broker.address import Address
from shared.broker.connection import connect
from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.topology import EXCHANGES, QUEUES, Exchange, Queue

_ENTITIES: tuple[Exchange | Queue, ...] = (*EXCHANGES, *QUEUES)


def declare(amqp_url: str) -> None:
    """Declare every exchange, queue and binding, as an administrator; a repeat changes nothing.

    Raises UsageError naming what exists with other arguments or may not be declared, and
    Failure(Reason.BROKER) when the broker does not answer.
    """
    address = Address.parse(amqp_url)
    with _connected(address) as connection:
        for entity in _ENTITIES:
            try:
                _bound(entity, connection.channel()).declare()
            except ChannelError as error:
                raise UsageError(_why_not(entity, address, error)) from error


def verify(amqp_url: str, names: Iterable[str]) -> None:
    """Check as a service's own user, without any right to configure, that these exchanges and queues exist.

    A name stands for the exchange and the queue of that name. Raises UsageError naming everything that is
    missing or refused, Failure(Reason.BROKER) when the broker does not answer, and ValueError for a name that
    is not in the topology.
    """
    wanted = frozenset(names)
    if unknown := wanted - {entity.name for entity in _ENTITIES}:
        raise ValueError(f"not in the topology: {', '.join(sorted(unknown))}")
    address = Address.parse(amqp_url)
    with _connected(address) as connection:
        found = [_trouble(entity, connection.channel()) for entity in _ENTITIES if entity.name in wanted]
    if troubles := [trouble for trouble in found if trouble]:
        raise UsageError(
            f"RabbitMQ ({address.spoken}) is not ready: {'; '.join(troubles)}. "
            "Run `outlast migrate` as an administrator, then start again."
        )


def listeners(amqp_url: str) -> dict[str, int]:
    """How many consumers each queue has, asked without any right to configure. Raises as `verify` does."""
    address = Address.parse(amqp_url)
    with _connected(address) as connection:
        try:
            return {
                queue.name: connection.channel().queue_declare(queue.name, passive=True).consumer_count
                for queue in QUEUES
            }
        except ChannelError as error:
            raise UsageError(f"RabbitMQ ({address.spoken}) does not tell of a queue ({error.reply_code}).") from error


@contextmanager
def _connected(address: Address) -> Iterator[Any]:
    try:
        with closing(connect(address, name="topology")) as connection:
            yield connection
    except (AccessRefused, NotAllowed) as error:
        raise UsageError(
            f"RabbitMQ refuses the login ({address.spoken}). Check the password, and that the user "
            "has rights in this virtual host."
        ) from error
    except (AMQPError, OSError) as error:
        raise Failure(Reason.BROKER, {"why": "not_connected", "error": type(error).__name__}) from error


def _bound(entity: Exchange | Queue, channel: Any) -> kombu.Exchange | kombu.Queue:
    if isinstance(entity, Exchange):
        return kombu.Exchange(entity.name, type="topic", durable=True, channel=channel)
    return kombu.Queue(
        entity.name,
        kombu.Exchange(entity.exchange, type="topic", durable=True),
        routing_key=entity.binding,
        durable=True,
        queue_arguments=dict(entity.arguments),
        channel=channel,
    )


def _why_not(entity: Exchange | Queue, address: Address, error: ChannelError) -> str:
    if isinstance(error, PreconditionFailed):
        kind = type(entity).__name__.lower()
        return (
            f"RabbitMQ has the {_spoken(entity)} with other properties than this version needs "
            f"({error.reply_text}). Nothing was changed. Let its consumers empty it, delete the {kind} "
            f"in virtual host {address.virtual_host!r}, and run `outlast migrate` again."
        )
    return (
        f"RabbitMQ ({address.spoken}) refuses to declare the {_spoken(entity)} ({error.reply_code}). "
        "Run `outlast migrate` as an administrator of this virtual host."
    )


def _trouble(entity: Exchange | Queue, channel: Any) -> str | None:
    bound = _bound(entity, channel)
    try:
        if isinstance(bound, kombu.Queue):
            bound.queue_declare(passive=True)
        else:
            bound.declare(passive=True)
    except NotFound:
        return f"the {_spoken(entity)} is missing"
    except ChannelError as error:
        return f"the {_spoken(entity)} is refused to this user ({error.reply_code})"
    return None


def _spoken(entity: Exchange | Queue) -> str:
    return f"{type(entity).__name__.lower()} {entity.name}"
