"""What a reader may see of a task."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database


class PublicTask(BaseModel):
    """One row of the view `public_tasks`; times are UTC instants and `size` is bytes.

    `next_try_at` is when a waiting retry is due, `evidence` what the last failed claim saw.
    """

    model_config = ConfigDict(frozen=True)

    task_id: UUID
    account: str
    provider: str
    job_id: str
    output_id: str
    state: str
    kind: str | None
    reason: str | None
    durable_uri: str | None
    size: int | None
    sha256: str | None
    media: dict[str, Any] | None
    display_name: str | None
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
    evidence: dict[str, Any] | None = None


def read_task(database: Database, task_id: UUID) -> PublicTask | None:
    """The task as its readers see it, or None while it is unknown."""
    row = database.one("public_task", task_id=task_id)
    return PublicTask.model_validate(row) if row else None
