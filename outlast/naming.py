"""The id of an event that follows from what it says, so that saying it again is no other event."""

import json
from uuid import UUID, uuid5

from shared.messages import IntakeEvent, clear_data

EVENT_NAMESPACE = UUID("6f75746c-6173-5474-a000-6576656e7473")
"""Namespace of the ids of events that bring none."""


def id_of(account: str, event: IntakeEvent) -> str:
    """The UUIDv5 of account, type and data; fields at their default say nothing, and links are part of it."""
    data = clear_data(event, exclude_defaults=True, exclude={"account"})
    said = json.dumps([account, event.type, data], sort_keys=True, separators=(",", ":"))
    return str(uuid5(EVENT_NAMESPACE, said))
