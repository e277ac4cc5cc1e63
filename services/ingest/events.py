"""The one door for every event, wherever it came from: `accept`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from services.ingest import of_jobs, of_objects, of_reviews
from services.ingest.heard import Heard
from shared.db import Database
from shared.db.clock import DatabaseClock
from shared.db.database import Row, Steps
from shared.messages import (
    AssetReviewedEvent,
    GenerationStartedEvent,
    InputObject,
    IntakeEvent,
    ObjectCreatedEvent,
    OutputFailedEvent,
    OutputReadyEvent,
    job_key,
)
from shared.providers import Registry
from shared.vault import Vault

READABLE = frozenset({"output_ready", "download_retry"})
"""States of a task that a downloader may claim."""


class Outcome(StrEnum):
    """What an event was."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    ID_CONFLICT = "id_conflict"
    """Its id was used before, for another output or another type: nothing was stored."""
    UNKNOWN_TASK = "unknown_task"
    """The account has no such task: nothing was stored."""


@dataclass(frozen=True)
class Answer:
    """What became of an event, with the row that stands for its task and the state of that; None without a task."""

    outcome: Outcome
    task_id: UUID | None
    state: str | None


class Events:
    """Accepts events: recorded once, task made or found, source sealed, deadline set, in one transaction."""

    def __init__(self, database: Database, vault: Vault, registry: Registry, wake: Callable[[UUID], None]) -> None:
        """`wake` tells the downloader of a task; it may be lost without harm."""
        self._database = database
        self._vault = vault
        self._registry = registry
        self._wake = wake
        self.clock = DatabaseClock(database)

    def accept(
        self, account: str, event: IntakeEvent, body: bytes, *, model: str | None = None, is_report: bool = False
    ) -> Answer:
        """Store an event and wake its stage. Raises Failure(Reason.DATABASE) while nothing can be stored.

        `model` is the provider's model, where it told that itself; `is_report` says that the event is what the provider
        says of its job, and so tells of its outputs alone.
        """
        heard = Heard(account, event, body, self.clock.now(), model, is_report)
        match event:
            case OutputReadyEvent(data=data):
                job = of_jobs.job(heard, data, self._registry, self._vault)
                return self._ready(job_key(account, data), of_jobs.ready(heard, data, self._registry), data.link, job)
            case ObjectCreatedEvent(data=data):
                lock = of_objects.lock_name(account, data.object)
                return self._ready(lock, of_objects.created(heard, data, self._registry), None)
            case GenerationStartedEvent(data=data):
                job = of_jobs.job(heard, data, self._registry, self._vault)
                values = of_jobs.started(heard, data, self._registry)
                return self._run("started", job_key(account, data), values, job=job)
            case OutputFailedEvent(data=data):
                values = of_jobs.failed(heard, data, self._registry)
                return self._run("failed", job_key(account, data), values, hold=values["placeholder_id"])
            case AssetReviewedEvent(data=data):
                return self._run("reviewed", str(data.task_id), of_reviews.reviewed(heard, data))

    def notice(self, account: str, told: InputObject) -> Answer:
        """Store that an object was told of by its store. Raises Failure(Reason.DATABASE) as `accept` does."""
        values = of_objects.noticed(account, told, self._registry)
        return self._run("noticed", of_objects.lock_name(account, told), values)

    def _ready(
        self, lock: str, values: Mapping[str, Any], link: str | None, job: Mapping[str, Any] | None = None
    ) -> Answer:
        """Accept an output for the row that stands for it: at first its own, unless the database names another."""
        target: UUID = values["subject_id"]
        while True:
            source_id = uuid4()
            sealed = self._vault.seal(target, source_id, link) if link else None
            whole = {**values, "task_id": target, "source_id": source_id, "sealed": sealed}
            row = self._word("accept", lock, whole, target, job)
            if row["outcome"] == "elsewhere":
                target = row["task_id"]
                continue
            answer = _answer(row)
            if answer.outcome is Outcome.ACCEPTED and answer.state in READABLE:
                self._wake(row["task_id"])
            return answer

    def _run(
        self,
        act: str,
        lock: str,
        values: Mapping[str, Any],
        *,
        hold: UUID | None = None,
        job: Mapping[str, Any] | None = None,
    ) -> Answer:
        return _answer(self._word(act, lock, values, hold, job))

    def _word(
        self, act: str, lock: str, values: Mapping[str, Any], hold: UUID | None, job: Mapping[str, Any] | None
    ) -> Row:
        """Run an act under its job's lock, with a row held that nobody may move meanwhile."""
        before: Steps = [("lock_job", {"job": lock}), ("hold_task", {"task_id": hold})]
        of_job: Steps = [("job", job)] if job else []
        while True:
            row = self._database.run_all([*before, *of_job, (act, values)])[0]
            if row["outcome"] is not None:
                return row
            # No word: the same id was recorded for another task while this statement ran; the next one sees it.


def _answer(row: Row) -> Answer:
    return Answer(Outcome(row["outcome"]), row["task_id"], row["state"])
