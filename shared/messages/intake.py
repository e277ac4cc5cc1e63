"""Reading the intake: from a message of the broker to an event, or to the reason why it is none."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from shared.messages.attributes import binary_attributes
from shared.messages.events import EVENTS, SCHEMA_VERSION, IntakeEvent, OutputReadyEvent
from shared.messages.rejection import Fault, Rejected, describe
from shared.messages.strict import parse_json

_DATASCHEMA = re.compile(r"urn:outlast:[a-z.]{1,64}:([0-9]{1,9})")
_SHORTEST_QUERY = 8
_NO_HEADERS: Mapping[str, object] = {}


def read_intake(
    body: bytes,
    *,
    account: str,
    event_type: str,
    headers: Mapping[str, object] = _NO_HEADERS,
    content_type: str | None = None,
) -> IntakeEvent:
    """Read a message of the intake that speaks for an account and brings a type by its routing key.

    Raises Rejected; its detail tells the producer what to mend and holds nothing of the body.
    """
    attributes = binary_attributes(headers, content_type)
    value = parse_json(body)
    if attributes is not None:
        value = {**attributes, "data": value}
    if not isinstance(value, dict):
        raise Rejected(Fault.WRONG_SCHEMA, "event: the body must be one JSON object")
    _check_account(value, account)
    if value.setdefault("type", event_type) != event_type:
        raise Rejected(Fault.WRONG_SCHEMA, f"type: the routing key says {event_type}")
    _check_version(value, event_type)
    try:
        event = EVENTS[event_type].model_validate(value)
    except ValidationError as error:
        raise Rejected(Fault.WRONG_SCHEMA, describe(error)) from None
    _check_link(event)
    return event


def _check_account(value: dict[str, Any], account: str) -> None:
    data = value.get("data")
    for place in (value, data if isinstance(data, dict) else {}):
        if account and place.get("account") not in (None, account):
            raise Rejected(
                Fault.NOT_ALLOWED,
                f"account: the event names another account than its routing key, which speaks for {account}",
            )


def _check_version(value: dict[str, Any], event_type: str) -> None:
    """Refuse data of a schema that this release does not know, before its fields look like mistakes."""
    told = value.get("schemaversion")
    named = _DATASCHEMA.fullmatch(str(value.get("dataschema")))
    for version in (told, named.group(1) if named else None):
        if version is not None and _number(version) != SCHEMA_VERSION:
            raise Rejected(
                Fault.FUTURE_SCHEMA,
                f"schema version {_number(version)} of {event_type} is not understood here; "
                f"this release understands {SCHEMA_VERSION}: send that, or upgrade Outlast first",
            )


def _check_link(event: IntakeEvent) -> None:
    """Refuse a link under another name than its own: all others are kept and shown as they are."""
    link = (event.data.link if isinstance(event, OutputReadyEvent) else None) or ""
    query = link.partition("?")[2]
    secret = query if len(query) >= _SHORTEST_QUERY else link
    for name, text in (*event, *event.data):
        if secret and isinstance(text, str) and secret in text:
            raise Rejected(Fault.WRONG_SCHEMA, f"{name}: it holds the link, which belongs into url alone")


def _number(version: object) -> int:
    text = str(version)
    if isinstance(version, bool) or not re.fullmatch(r"[0-9]{1,9}", text):
        raise Rejected(Fault.WRONG_SCHEMA, "schemaversion: a whole number from 1 is wanted")
    return int(text)
