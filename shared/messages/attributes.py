"""CloudEvents in AMQP messages: which content mode a message has, and the attributes in its headers."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from shared.messages.rejection import Fault, Rejected

STRUCTURED = "application/cloudevents+json"
"""Content type of a whole event as JSON."""
BINARY = "application/json"
"""Content type of an event's data alone, its attributes being in the headers."""
PREFIXES = ("cloudEvents:", "cloudEvents_")
"""How the name of an attribute in a header starts; both are read, as some clients allow no colon."""

_ATTRIBUTE = re.compile(r"[a-z0-9]{1,64}")


def binary_attributes(headers: Mapping[str, object], content_type: str | None) -> dict[str, str] | None:
    """The attributes of an event in binary mode; None for a message whose body is a whole event.

    Raises Rejected with reason wrong_content for a batch, another format than JSON, or attributes that
    contradict each other.
    """
    media = (content_type or "").partition(";")[0].strip().lower()
    if media.startswith("application/cloudevents"):
        if media != STRUCTURED:
            raise Rejected(Fault.WRONG_CONTENT, f"one event per message, as {STRUCTURED}, is read; nothing else")
        return None
    found = _attributes(headers)
    if found and media not in ("", BINARY):
        raise Rejected(Fault.WRONG_CONTENT, f"the data of an event in binary mode must be {BINARY}")
    return found or None


def binary_headers(attributes: Mapping[str, str]) -> dict[str, str]:
    """The headers of an event in binary mode, from its attributes other than `datacontenttype`."""
    return {PREFIXES[0] + name: value for name, value in attributes.items()}


def _attributes(headers: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for header, value in headers.items():
        prefix = next((prefix for prefix in PREFIXES if header.startswith(prefix)), None)
        name = header.removeprefix(prefix or "")
        if prefix is None or not _ATTRIBUTE.fullmatch(name):
            continue
        text = _text(value)
        if found.setdefault(name, text) != text:
            raise Rejected(Fault.WRONG_CONTENT, "an attribute is given twice, with two values")
    return found


def _text(value: object) -> str:
    """An attribute's canonical string; AMQP has types of its own for times and numbers."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise Rejected(Fault.WRONG_CONTENT, "an attribute in the headers is neither text, number nor time")
