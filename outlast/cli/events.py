"""Events from JSON: a whole CloudEvents envelope, or an event's data alone, checked as the intake checks them."""

import json
from datetime import UTC, datetime
from typing import Any

from outlast.cli.link import fault_of
from outlast.naming import id_of
from outlast.publish import event_body
from shared.errors import UsageError
from shared.messages import EVENTS, IntakeEvent, OutputReadyEvent, Rejected, parse_json, read_intake

SOURCE = "outlast.cli"
READY = "outlast.output.ready"
_UNNAMED = "-"


def event_from(body: bytes, *, account: str, event_type: str = READY) -> IntakeEvent:
    """The event in a JSON text; `event_type` is that of data without an envelope.

    Data without an envelope gets an id that follows from account, type and content, so that the same text is the
    same event each time, and the same output with another link is another event. Raises Rejected, whose detail tells
    what to mend and never repeats the content.
    """
    value = parse_json(body)
    if not isinstance(value, dict):
        raise Rejected("wrong_schema", "event: one JSON object is wanted")
    event = _whole(body, value, account, event_type) if _is_envelope(value) else _named(value, account, event_type)
    _check(event)
    return event


def _is_envelope(value: dict[str, Any]) -> bool:
    """No event's data has a field of these names."""
    return "data" in value or "specversion" in value


def _whole(body: bytes, value: dict[str, Any], account: str, event_type: str) -> IntakeEvent:
    told = value.get("type", event_type)
    if told not in EVENTS:
        raise Rejected("wrong_schema", f"type: one of {', '.join(EVENTS)} is wanted")
    return read_intake(body, account=account, event_type=told)


def _named(data: dict[str, Any], account: str, event_type: str) -> IntakeEvent:
    envelope = {"id": _UNNAMED, "source": SOURCE, "time": datetime.now(UTC).isoformat(), "data": data}
    event = read_intake(json.dumps(envelope).encode(), account=account, event_type=event_type)
    return event.model_copy(update={"id": id_of(account, event)})


def _check(event: IntakeEvent) -> None:
    if isinstance(event, OutputReadyEvent) and (fault := fault_of(event.data.link)):
        raise Rejected("wrong_schema", f"data.url: it {fault}")
    try:
        event_body(event)
    except UsageError as error:
        raise Rejected("too_large", str(error)) from None
