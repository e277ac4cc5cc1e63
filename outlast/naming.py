"""The id of an event that follows from what it says, so that saying it again is no other event."""

import json
from uuid import UUID, uuid5

from shared.messages import IntakeEvent, OutputReadyEvent

EVENT_NAMESPACE = UUID("6f75746c-6173-5474-a000-6576656e7473")
"""Namespace of the ids of events that bring none."""


def id_of(account: str, event: IntakeEvent) -> str:
    """The UUIDv5 of account, type and data; fields at their default say nothing, and the link is part of it."""
    data = event.data.model_dump(mode="json", exclude_defaults=True, exclude={"account"})
    if isinstance(event, OutputReadyEvent) and event.data.link is not None:
        data["url"] = event.data.link
    said = json.dumps([account, event.type, data], sort_keys=True, separators=(",", ":"))
    return str(uuid5(EVENT_NAMESPACE, said))
