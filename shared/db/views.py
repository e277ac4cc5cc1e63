"""What a reader may see of a task."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database


class PublicTask(BaseModel):
    """One row of the view `public_tasks`; times are UTC instants and `size` is bytes.

    `next_try_at` is when a waiting retry is due, and `at_risk` says that the end of the link's life is near and no
    byte is here. `evidence` is what the last failed claim saw. It and what follows is read for one task, not for many.
    """

    model_config = ConfigDict(frozen=True)

    task_id: UUID
    account: str
    provider: str
    provider_account: str
    job_id: str
    output_id: str
    operation_id: str
    attempt_id: str
    variant: str | None
    state: str
    kind: str | None
    reason: str | None
    durable_uri: str | None
    size: int | None
    sha256: str | None
    media: dict[str, Any] | None
    display_name: str | None
    retention_class: str
    ready_at: datetime
    accepted_at: datetime
    url_expires_at: datetime | None
    deadline: datetime | None
    stored_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime
    tries: int
    refreshes: int
    next_try_at: datetime | None = None
    at_risk: bool = False
    evidence: dict[str, Any] | None = None
    processor_version: str | None = None
    derived_from: tuple[UUID, ...] | None = None
    provenance: dict[str, Any] | None = None
    flags: tuple[str, ...] | None = None


def read_task(database: Database, task_id: UUID) -> PublicTask | None:
    """The task as its readers see it, or None while it is unknown.

    The id may be one that a producer computed for an output that took over another row.
    """
    row = database.one("public_task", task_id=task_id)
    return PublicTask.model_validate(row) if row else None
