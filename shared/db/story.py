"""How one task came to stand where it stands: its events, links, claims and acts, as its readers see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database
from shared.db.jobs import SeenJob, read_jobs
from shared.db.rejected import SeenRejected, SeenReverification, rejected_of_task, reverifications_of_task

PAGE = 500
"""Rows of one read."""
_BEYOND = 2**62


class _Seen(BaseModel):
    model_config = ConfigDict(frozen=True)


class SeenEvent(_Seen):
    """An event about the task."""

    received_at: datetime
    type: str
    source: str
    event_id: str


class SeenSource(_Seen):
    """A way to the bytes: an object of the input, or everything but the link, which only the downloader can open."""

    source_id: UUID
    added_at: datetime
    added_by: str
    host: str
    object: dict[str, Any] | None
    issued_at: datetime | None
    expires_at: datetime | None
    expires_from: str
    confidence: str
    observed_expired_at: datetime | None


class SeenClaim(_Seen):
    """A leased run of one stage; `outcome` is None while it runs, `evidence` is what it saw."""

    epoch: int
    stage: str
    worker: str
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    reason: str | None
    evidence: dict[str, Any]


class SeenAct(_Seen):
    """An act on the task and its change of state; `epoch` is the claim it belongs to, 0 before the first.

    `detail` is what an event said: a provider's words, a verdict.
    """

    at: datetime
    act: str
    from_state: str
    to_state: str
    role: str
    epoch: int
    reason: str | None
    detail: dict[str, Any] | None


class SeenProcessing(_Seen):
    """What one version of a processor made of the asset; the result is None until it completed."""

    processor_version: str
    version_id: str
    sha256: str
    state: str
    epoch: int
    tries: int
    reason: str | None
    detail: str | None
    received_at: datetime
    state_since: datetime
    finished_at: datetime | None
    result_bucket: str | None
    result_key: str | None
    result_version: str | None
    result_size: int | None
    result_sha256: str | None
    result_type: str | None


@dataclass(frozen=True)
class Story:
    """Everything about one task, each list in order of time."""

    events: tuple[SeenEvent, ...]
    sources: tuple[SeenSource, ...]
    claims: tuple[SeenClaim, ...]
    history: tuple[SeenAct, ...]
    processing: tuple[SeenProcessing, ...] = ()
    jobs: tuple[SeenJob, ...] = ()
    rejected: tuple[SeenRejected, ...] = ()
    reverifications: tuple[SeenReverification, ...] = ()


def read_story(database: Database, task_id: UUID, *, most: int | None = None) -> Story:
    """The story of a task, read in pages; `most` limits claims and acts to the newest so many of each."""
    events = database.run("story_events", task_id=task_id, limit=PAGE)
    sources = database.run("story_sources", task_id=task_id, limit=PAGE)
    claims = _backwards(database, "story_claims", "epoch", task_id, most)
    processing = database.run("processing_of_task", task_id=task_id)
    history = _backwards(database, "story_history", "history_id", task_id, most)
    return Story(
        tuple(SeenEvent.model_validate(row) for row in events),
        tuple(SeenSource.model_validate(row) for row in reversed(sources)),
        tuple(SeenClaim.model_validate(row) for row in claims),
        tuple(SeenAct.model_validate(row) for row in history),
        tuple(SeenProcessing.model_validate(row) for row in processing),
        read_jobs(database, task_id),
        rejected_of_task(database, task_id),
        reverifications_of_task(database, task_id),
    )


def _backwards(database: Database, read: str, key: str, task_id: UUID, most: int | None) -> list[Mapping[str, Any]]:
    """The newest rows of a read, oldest first."""
    rows: list[Mapping[str, Any]] = []
    before = _BEYOND
    while most is None or len(rows) < most:
        limit = PAGE if most is None else min(PAGE, most - len(rows))
        page = database.run(read, task_id=task_id, before=before, limit=limit)
        rows += page
        if len(page) < limit:
            break
        before = page[-1][key]
    return rows[::-1]
