"""What waits for a word that does not come: jobs that nobody reports, and objects without an envelope."""

from threading import Event, Thread

import structlog

from shared.db import Database
from shared.errors import Failure

log = structlog.get_logger(__name__)

EVERY_SECONDS = 10.0


class Silence:
    """One thread that tells people of what has waited too long."""

    def __init__(self, database: Database, generation_seconds: float, envelope_seconds: float) -> None:
        self._database = database
        self._patience = {"generation_seconds": generation_seconds, "envelope_seconds": envelope_seconds}
        self._every = min(EVERY_SECONDS, generation_seconds, envelope_seconds)
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="silence", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()

    def look(self) -> int:
        """Stop waiting where it was too long; returns for how many tasks."""
        stopped = 0
        while rows := self._database.run("silent", **self._patience):
            stopped += len(rows)
            for row in rows:
                log.warning("waited_too_long", task_id=str(row["task_id"]), reason=row["reason"])
        return stopped

    def _run(self) -> None:
        while not self._stopping.wait(self._every):
            try:
                self.look()
            except Failure as failure:
                log.warning("silence_waits", reason=str(failure.reason))
            except Exception:
                log.exception("silence_broke")
