"""An event as it came in, and what every statement takes of it."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from services.ingest.kept import kept_provenance
from shared.messages import Described, IntakeEvent, task_id_of
from shared.telemetry import traces


@dataclass(frozen=True)
class Heard:
    """An event, the account it speaks for, its body for the digest, and the database's time."""

    account: str
    event: IntakeEvent
    body: bytes
    at: datetime
    model: str | None = None
    """The provider's model, where the provider itself told it."""
    is_report: bool = False
    """Whether it is what a provider says of its job, and tells of outputs alone."""

    def happened(self, told: datetime | None) -> datetime:
        """When it happened: as told, else the event's time, else now; a producer's clock may run ahead."""
        return min(told or self.event.time or self.at, self.at)

    def values(self) -> dict[str, Any]:
        """Who says what about which task."""
        return {
            "account": self.account,
            "source": self.event.source,
            "event_id": self.event.id,
            "event_type": self.event.type,
            "body_sha256": sha256(self.body).hexdigest(),
            "subject_id": task_id_of(self.account, self.event.data),
            "traceparent": traces.current_traceparent(),
        }


def described(data: Described) -> dict[str, Any]:
    """What was told of an output; None for what was not, so that a placeholder keeps what it knows."""
    told = data.model_fields_set
    return {
        "operation_id": data.operation_id,
        "attempt_id": data.attempt_id if "attempt_id" in told else None,
        "variant": data.variant,
        "retention_class": data.retention_class if "retention_class" in told else None,
        "display_name": data.display_name,
        "promised_kind": str(data.kind) if data.kind else None,
        "expected": data.expected.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        if "expected" in told
        else None,
        "processor_version": data.processor_version if "processor_version" in told else None,
        "provenance": kept_provenance(data.provenance) if "provenance" in told else None,
        "derived_from": list(data.derived_from) if "derived_from" in told else None,
    }
