"""Asks providers about jobs that are not reported yet; so it also finds those whose webhook was lost."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event, Thread
from time import monotonic

import structlog

from services.ingest.polling.due import Due
from services.ingest.polling.inquiry import Inquiry, Met
from services.ingest.polling.question import QUESTION_SECONDS
from services.ingest.polling.rooms import Rooms
from shared.db import Database
from shared.errors import Failure
from shared.telemetry import metrics

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.5
"""Time between two looks for jobs that are due."""
PAUSE_SECONDS = 2.0
"""The same after one that the database did not answer."""
LEASE_SECONDS = 2 * QUESTION_SECONDS
"""After so long a job is asked for by another, if whoever took it has vanished."""
SLOW_SECONDS = 3.0
"""A question that got no answer for so long makes its provider a slow one."""
COUNT_SECONDS = 15.0
"""Time between two counts of all that wait."""
STOP_SECONDS = 3.0
"""Longest wait at the end for questions under way, which are broken off."""


class Poller:
    """One thread that takes due jobs, and a few that ask; several processes share the work."""

    def __init__(
        self,
        database: Database,
        rates: Mapping[str, float],
        inquiry: Inquiry,
        stopping: Event,
        *,
        questions: int,
        generation_seconds: float,
    ) -> None:
        """`rates` are the most questions per second by provider; `stopping` breaks off what `inquiry` asks."""
        self._database = database
        self._generation_seconds = generation_seconds
        self._rooms = Rooms(rates, questions)
        self._inquiry = inquiry
        self._stopping, self._freed = stopping, Event()
        self._askers = ThreadPoolExecutor(questions, thread_name_prefix="poller")
        self._asked: set[Future[None]] = set()
        self._thread = Thread(target=self._run, name="poller", daemon=True)
        self._counted_at = -COUNT_SECONDS

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the threads; questions under way are broken off, and their jobs given back."""
        self._stopping.set()
        self._freed.set()
        self._thread.join(STOP_SECONDS)
        self._askers.shutdown(wait=False)
        wait(self._asked, STOP_SECONDS)

    def look(self) -> None:
        """Take what is due and may be asked now. Raises Failure(Reason.DATABASE)."""
        self._freed.clear()
        rooms, left = self._rooms.free(LOOK_SECONDS)
        if rooms:
            rows = self._database.run(
                "poll_due",
                providers=list(rooms),
                most=list(rooms.values()),
                most_of_all=left,
                lease_seconds=LEASE_SECONDS,
                generation_seconds=self._generation_seconds,
            )
            for row in rows if not self._stopping.is_set() else ():
                self._send(Due.of(row))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
                self._count()
                # Where there was something to ask, there may be more for whoever is free again.
                self._freed.wait(LOOK_SECONDS)
            except Failure as failure:
                log.warning("poller_waits", reason=str(failure.reason))
                self._stopping.wait(PAUSE_SECONDS)
            except Exception:
                log.exception("poller_broke")
                self._stopping.wait(PAUSE_SECONDS)

    def _send(self, due: Due) -> None:
        wait_seconds = self._rooms.enter(due.job.provider)
        self._asked = {future for future in self._asked if not future.done()}
        self._asked.add(self._askers.submit(self._ask, due, wait_seconds))

    def _ask(self, due: Due, wait_seconds: float) -> None:
        """Ask about one job; whatever breaks here, the job comes back when its lease is over."""
        self._stopping.wait(wait_seconds)
        since, met = monotonic(), Met(is_answered=False)
        try:
            met = self._inquiry.settle(due)
        except Failure as failure:
            log.warning("answer_not_stored", reason=str(failure.reason), task_id=str(due.job.key))
        except Exception:
            log.exception("question_broke", task_id=str(due.job.key))
        finally:
            self._rooms.pause(due.job.provider, met.pause_seconds)
            is_slow = not met.is_answered and monotonic() - since > SLOW_SECONDS
            self._rooms.leave(due.job.provider, is_slow=is_slow)
            self._freed.set()

    def _count(self) -> None:
        if monotonic() - self._counted_at < COUNT_SECONDS:
            return
        row = self._database.one("jobs_waiting")
        self._counted_at = monotonic()
        if row:
            metrics.JOBS_WAITING.set(row["waiting"])
            metrics.JOBS_OVERDUE.set(row["overdue_seconds"])
