"""The end of the questions about jobs that webhooks reported."""

import queue
from threading import Thread
from uuid import UUID

import structlog

from services.ingest.reported import Job
from shared.db import Database
from shared.errors import Failure
from shared.redaction import redact

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 100
MOST_WAITING = 10_000
STOP_SECONDS = 2.0


class Closing:
    """Behind the answers, and for many jobs at once, so that no sender waits for it and no burst is slowed by it.

    What is lost here costs a question: the job is asked for again, and found to be stored.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: queue.SimpleQueue[tuple[UUID, str | None] | None] = queue.SimpleQueue()
        self._thread = Thread(target=self._run, name="webhook-closing", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Close what waits, if that is quick, and end the thread."""
        self._waiting.put(None)
        self._thread.join(STOP_SECONDS)

    def add(self, job: Job, word: str) -> None:
        """Close a job soon, whose report is stored."""
        if self._waiting.qsize() < MOST_WAITING:
            told: str = redact(word)
            self._waiting.put((job.key, told if told.isprintable() else None))

    def _run(self) -> None:
        while batch := self._batch():
            try:
                self._close(batch)
            except Failure as failure:
                log.warning("reported_jobs_stay_open", jobs=len(batch), reason=str(failure.reason))
            except Exception:
                log.exception("closing_broke")

    def _close(self, batch: dict[UUID, str | None]) -> None:
        # In one order, so that two processes do not wait for each other.
        steps = [("reported", {"job_key": key, "word": word}) for key, word in sorted(batch.items())]
        self._database.run_all(steps)

    def _batch(self) -> dict[UUID, str | None]:
        """What waits, at least one; nothing at the end."""
        batch: dict[UUID, str | None] = {}
        while len(batch) < MOST_AT_ONCE and not (batch and self._waiting.empty()):
            found = self._waiting.get()
            if found is None:
                self._waiting.put(None)
                break
            batch[found[0]] = found[1]
        return batch
