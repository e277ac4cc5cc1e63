"""The AsyncAPI 3.0 document: exchanges, routing keys and messages, from the topology and the messages."""

from collections.abc import Mapping
from typing import Any

from outlast.contract.schemas import HINT
from shared.messages import ANNOUNCEMENTS, BINARY, EVENTS, STRUCTURED
from shared.states import Stage
from shared.topology import INTAKE, NOTIFICATIONS, RESULTS, TASKS, Announcement

VERSION = "1.0.0"
"""Of the contract, not of the software: the first number is the schema version of the events."""

_ACCOUNT = {"account": {"description": "Who owns the asset: 1 to 63 of a-z, 0-9 and hyphens."}}


def document() -> dict[str, Any]:
    """The whole document; its payloads are the files of `schemas/` beside it."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Outlast",
            "version": VERSION,
            "description": "Events in, proven assets out. AMQP 0-9-1; CloudEvents 1.0 in JSON.",
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": STRUCTURED,
        "channels": {**_intake(), **_notifications(), **_results(), **_hints()},
        "operations": _operations(),
        "components": {"messages": _messages()},
    }


def _intake() -> dict[str, Any]:
    return {name: _channel(INTAKE, f"{{account}}.{name}", name) for name in EVENTS}


def _notifications() -> dict[str, Any]:
    return {"store.notification": _channel(INTAKE, NOTIFICATIONS, "store.notification")}


def _results() -> dict[str, Any]:
    names = {f"outlast.{word}": f"{word}.{{account}}" for word in Announcement}
    return {name: _channel(RESULTS, address, name) for name, address in names.items()}


def _hints() -> dict[str, Any]:
    return {f"outlast.hint.{stage}": _channel(TASKS, str(stage), HINT) for stage in Stage}


def _channel(exchange: str, address: str, message: str) -> dict[str, Any]:
    parameters = {"parameters": _ACCOUNT} if "{account}" in address else {}
    return {
        "address": address,
        **parameters,
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
        "bindings": {
            "amqp": {
                "is": "routingKey",
                "exchange": {"name": exchange, "type": "topic", "durable": True, "autoDelete": False},
                "bindingVersion": "0.3.0",
            }
        },
    }


def _operations() -> dict[str, Any]:
    received = [*_intake(), *_notifications()]
    sent = [*_results(), *_hints()]
    return {
        name: _operation(action, name) for action, names in (("receive", received), ("send", sent)) for name in names
    }


def _operation(action: str, channel: str) -> dict[str, Any]:
    return {"action": action, "channel": {"$ref": f"#/channels/{channel}"}}


def _messages() -> dict[str, Any]:
    events: Mapping[str, Any] = {**EVENTS, **ANNOUNCEMENTS}
    told = {name: _message(name, STRUCTURED, str(model.__doc__).splitlines()[0]) for name, model in events.items()}
    hint = _message(HINT, BINARY, "A wake-up between stages; losing it costs seconds and nothing else.")
    return {**told, HINT: hint, "store.notification": _notification()}


def _message(name: str, content_type: str, summary: str) -> dict[str, Any]:
    return {
        "name": name,
        "contentType": content_type,
        "summary": summary,
        "payload": {"$ref": f"./schemas/{name}.json"},
    }


def _notification() -> dict[str, Any]:
    lists = {name: {"type": "array", "items": {"type": "object"}} for name in ("Records", "events")}
    return {
        "name": "store.notification",
        "contentType": BINARY,
        "summary": "An object store's own notification: AWS and MinIO or Ceph RGW (Records), or Alibaba OSS (events).",
        "payload": {"type": "object", "properties": lists},
    }
