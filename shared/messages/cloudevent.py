"""CloudEvents from Outlast itself."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from shared.messages.events import SCHEMA_VERSION


def dataschema(event_type: str) -> str:
    """The name of the schema of a type's data, with its version."""
    return f"urn:outlast:{event_type}:{SCHEMA_VERSION}"


def cloud_event(kind: str, event_id: str, subject: str, data: Mapping[str, Any]) -> bytes:
    """A CloudEvents 1.0 JSON body from Outlast itself."""
    envelope = {
        "specversion": "1.0",
        "id": event_id,
        "source": "outlast",
        "type": kind,
        "subject": subject,
        "time": datetime.now(UTC).isoformat(),
        "datacontenttype": "application/json",
        "dataschema": dataschema(kind),
        "data": data,
    }
    return json.dumps(envelope, ensure_ascii=False).encode()
