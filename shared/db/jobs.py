"""What the questions to providers about their jobs brought, as its readers see it."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database
from shared.db.views import read_task
from shared.messages import PLACEHOLDER, download_key, task_id_from


class SeenJob(BaseModel):
    """What the questions to the provider about the task's job brought; `due_at` is when the next one comes.

    `troubles` counts the latest questions in a row that brought no word of the job, `last_reason` says why.
    """

    model_config = ConfigDict(frozen=True)

    provider: str
    job_id: str
    model: str | None
    has_address: bool
    started_at: datetime
    due_at: datetime | None
    asked: int
    troubles: int
    asked_at: datetime | None
    last_word: str | None
    last_reason: str | None
    reported_at: datetime | None


def read_jobs(database: Database, task_id: UUID) -> tuple[SeenJob, ...]:
    """The job that a task is an output of; none where its provider was never asked for it."""
    task = read_task(database, task_id)
    if task is None:
        return ()
    names = (task.account, task.provider, task.provider_account, task.job_id)
    rows = database.run("story_job", job_key=task_id_from(download_key(*names, PLACEHOLDER)))
    return tuple(SeenJob.model_validate(row) for row in rows)
