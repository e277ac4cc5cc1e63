"""Telling Outlast what happened to an output: for producers, from their own processes."""

import json
import logging
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid4

import structlog
from pydantic import ValidationError

from outlast.interrupts import uninterrupted
from shared.broker.address import Address
from shared.broker.publisher import Publisher, Sent
from shared.errors import Failure, UsageError
from shared.messages import EVENTS, MAX_INTAKE_BYTES, IntakeEvent, OutputReadyEvent, clear_data, describe, task_id_of
from shared.topology import INTAKE, intake_key

CONFIRM_SECONDS = 15.0
ENVELOPE = frozenset({"source", "time", "traceparent"})

UNROUTABLE = "RabbitMQ has no queue for this event. Run `outlast migrate` as an administrator."
PERHAPS = "RabbitMQ did not confirm the event in time; it may have it. Send it again with its id: that is harmless."
REFUSALS = {
    "not_connected": "RabbitMQ{place} cannot be reached{error}. Check its address, the user and the virtual host.",
    "blocked": "RabbitMQ{place} takes no messages now: it is short of memory or disk. Send the event again later.",
    "rejected": "The intake queue is full. Send the event again later.",
    "refused": "RabbitMQ does not let this user publish for this account.",
}


class PublishError(Exception):
    """RabbitMQ did not take the event; the text says why and what to do, and never holds the link."""


class Producer:
    """A connection for many events; a context manager, safe to use from many threads."""

    def __init__(self, amqp_url: str, *, timeout: float = CONFIRM_SECONDS) -> None:
        """Connects as the user in `amqp_url`; `timeout` is the limit for one event, in seconds."""
        _keep_stdout_clean()
        self._address = Address.parse(amqp_url)
        self._publisher = Publisher(amqp_url)
        self._timeout = timeout

    def __enter__(self) -> Self:
        self._publisher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._publisher.stop()

    def publish(self, event: IntakeEvent, *, account: str) -> UUID:
        """Hand over one event for an account and wait until RabbitMQ has it safe; returns the task id.

        Raises UsageError for a wrong account or an event that is too large, and PublishError when
        RabbitMQ refuses or stays silent. Sending the same event again is always harmless.
        """
        key, body = intake_key(account, event.type), event_body(event)
        try:
            sent = self._publisher.send(INTAKE, key, body, message_id=event.id, headers={}, timeout=self._timeout)
        except Failure as failure:
            raise _refused(failure, self._address) from None
        if sent is Sent.UNROUTABLE:
            raise PublishError(UNROUTABLE)
        return task_id_of(account, event.data)


def publish(
    event: IntakeEvent | None = None,
    *,
    account: str,
    amqp_url: str,
    timeout: float = CONFIRM_SECONDS,
    **fields: Any,
) -> UUID:
    """Publish one event, given whole or as the fields of `output_ready`; returns the task id.

    Blocks up to `timeout` seconds. Raises UsageError and PublishError as `Producer.publish` does.
    """
    ready = event or output_ready(**fields)
    with Producer(amqp_url, timeout=timeout) as producer:
        return producer.publish(ready, account=account)


def output_ready(*, event_id: str | None = None, **fields: Any) -> OutputReadyEvent:
    """The event "this output can be fetched": `source`, `time`, `traceparent` and the fields of OutputReady.

    The same `event_id` from the same source is the same event, however often it is sent; default: a new one.
    Raises UsageError naming the fields that are wrong or missing, never their values.
    """
    event = intake_event("outlast.output.ready", event_id=event_id, **fields)
    if not isinstance(event, OutputReadyEvent):
        raise AssertionError("this is its type")
    return event


def intake_event(event_type: str, *, event_id: str | None = None, **fields: Any) -> IntakeEvent:
    """An event of any type that the intake reads, as `output_ready` makes its own: docs/intake.md has the fields.

    Raises UsageError for another type, or naming the fields that are wrong or missing, never their values.
    """
    if event_type not in EVENTS:
        raise UsageError(f"No event has the type {event_type}. The types are: {', '.join(EVENTS)}.")
    envelope = {name: value for name, value in fields.items() if name in ENVELOPE}
    data = {name: value for name, value in fields.items() if name not in ENVELOPE}
    default = {"id": event_id or str(uuid4()), "source": "outlast.publish", "time": datetime.now(UTC)}
    try:
        return EVENTS[event_type].model_validate({**default, **envelope, "data": data})
    except ValidationError as error:
        raise UsageError(f"This is no valid event: {describe(error)}.") from None


def event_body(event: IntakeEvent) -> bytes:
    """The CloudEvents JSON of an event, its link in the clear: for the intake exchange only.

    Raises UsageError when it is larger than Outlast takes.
    """
    with uninterrupted():
        envelope = event.model_dump(mode="json", exclude_none=True, exclude={"data"})
        whole = {**envelope, "data": clear_data(event, exclude_none=True)}
    body = json.dumps(whole, ensure_ascii=False).encode()
    if len(body) > MAX_INTAKE_BYTES:
        raise UsageError(f"The event has {len(body)} bytes; the limit is {MAX_INTAKE_BYTES}.")
    return body


def _refused(failure: Failure, address: Address) -> PublishError:
    text = REFUSALS.get(str(failure.evidence.get("why")), PERHAPS)
    error = failure.evidence.get("error")
    return PublishError(text.format(place=f" at {address.host}:{address.port}", error=f" ({error})" if error else ""))


def _keep_stdout_clean() -> None:
    """Where nobody configured structlog, it would print our events; the host's own stay as they are."""
    if not structlog.is_configured():
        structlog.configure(logger_factory=_logger)


def _logger(*names: str) -> object:
    ours = names and names[0].startswith(("outlast.", "shared."))
    return logging.getLogger(names[0]) if ours else structlog.PrintLogger()
