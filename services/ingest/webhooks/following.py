"""What is done about a webhook: its report is stored, or the job is asked for."""

import json
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256

import structlog
from pydantic import ValidationError

from services.ingest.events import Events
from services.ingest.reported import Job, Reported, UnusableError
from services.ingest.webhooks.answer import AWAY, HINT, NOTED, STORED, Answer, Declined, unreadable
from services.ingest.webhooks.closing import Closing
from services.ingest.webhooks.notice import Notice
from shared.db import Database
from shared.errors import Failure, Unstorable
from shared.messages import GenerationStartedEvent, describe
from shared.telemetry import traces

log = structlog.get_logger(__name__)


class Follower:
    """Follows webhooks. Safe to repeat, in several processes at once."""

    def __init__(
        self,
        database: Database,
        events: Events,
        reported: Reported,
        closing: Closing,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._events = events
        self._reported = reported
        self._closing = closing
        self._clock = clock
        self._warned: set[str] = set()

    def follow(self, notice: Notice) -> Answer:
        """Do what a webhook is good for; when its answer is there, it is done.

        Raises Declined for what cannot be stored, or not now.
        """
        job = notice.job
        with traces.span("outlast.webhook", notice.traceparent):
            try:
                answer = self._store(notice) if notice.is_final else self._ask(notice)
            except (UnusableError, Unstorable) as error:
                raise Declined(unreadable(f"it holds what cannot be stored ({error})")) from None
            except Failure as failure:
                log.warning("webhook_waits", reason=str(failure.reason), provider=job.provider)
                raise Declined(AWAY) from None
            log.info(
                "webhook", outcome=answer.outcome, account=job.account, provider=job.provider, task_id=str(job.key)
            )
        return answer

    def _store(self, notice: Notice) -> Answer:
        self._reported.store(notice.job, notice.report, notice.entry, self._clock())
        self._closing.add(notice.job, notice.report.word)
        return STORED

    def _ask(self, notice: Notice) -> Answer:
        """Have the job asked for at once; one of which nobody told us is made known first."""
        job, poll, event = notice.job, notice.entry.poll, _started(notice.job)
        if poll is None:
            self._warn(job.provider)
            return NOTED
        if self._is_due(job):
            return HINT
        if poll.url:
            self._events.accept(job.account, event, event.id.encode(), model=notice.report.model)
        # A job whose report is stored is not asked for again.
        return HINT if poll.url and self._is_due(job) else NOTED

    def _is_due(self, job: Job) -> bool:
        """Have a job asked for now; False for one that is not known, or whose report is stored."""
        return bool(self._database.run("poll_now", job_key=job.key))

    def _warn(self, provider: str) -> None:
        if provider in self._warned:
            return
        self._warned.add(provider)
        remedy = "They do not say or prove what became of a job: add a table [poll] to the provider's file."
        log.warning("webhooks_lead_nowhere", provider=provider, remedy=remedy)


def _started(job: Job) -> GenerationStartedEvent:
    """What makes a job known, the same event each time. Raises UnusableError."""
    kind = "outlast.generation.started"
    data = {"provider": job.provider, "provider_account": job.provider_account, "job_id": job.job_id}
    event_id = sha256(json.dumps([*data.values(), kind]).encode()).hexdigest()
    try:
        event = {"id": event_id, "source": f"provider/{job.provider}", "data": data}
        return GenerationStartedEvent.model_validate(event)
    except ValidationError as error:
        raise UnusableError(describe(error)) from None
