"""Tasks as a reader sees them."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from shared.db.views import PublicTask

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def public_task(state: str, **fields: Any) -> PublicTask:
    """A task in this state; what is not given is empty, or means nothing."""
    whole: dict[str, Any] = dict.fromkeys(PublicTask.model_fields)
    whole |= {"task_id": uuid4(), "state": state, "tries": 0, "refreshes": 0, "at_risk": False}
    names = ("account", "provider", "provider_account", "job_id", "output_id", "operation_id", "attempt_id")
    whole |= dict.fromkeys((*names, "retention_class"), "x")
    whole |= dict.fromkeys(("ready_at", "accepted_at", "updated_at"), NOW)
    return PublicTask.model_validate({**whole, **fields})
