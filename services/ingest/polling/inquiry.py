"""One due job, from the question to what is recorded of its answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from services.ingest.kept import kept_word
from services.ingest.polling.again import Again, after_failure, after_word, at_once, is_lost
from services.ingest.polling.due import Due
from services.ingest.polling.question import Questions, Word
from services.ingest.reported import FINAL, Reported, UnusableError
from shared.db import Database
from shared.errors import Failure, Stopping, Unstorable
from shared.providers import Provider, Registry
from shared.providers.calls import Calls
from shared.providers.entry import Poll
from shared.providers.report import Said
from shared.reasons import Reason
from shared.telemetry import metrics, traces

log = structlog.get_logger(__name__)

LIMITED_SECONDS, MOST_PAUSE_SECONDS = 5.0, 300.0
"""How long a provider is left alone that has too many requests, at least and at most."""
LOUD = frozenset({Reason.CREDENTIAL_REFUSED, Reason.CREDENTIAL_MISSING, Reason.HOST_NOT_LISTED, Reason.KEYRING})
"""What goes on until a person does something about it."""


@dataclass(frozen=True)
class Met:
    """How a question went: whether the provider answered it, and how long it wants no further one, in seconds."""

    is_answered: bool
    pause_seconds: float = 0.0


@dataclass(frozen=True)
class Inquiry:
    """Asks about due jobs, and records what comes of it."""

    database: Database
    reported: Reported
    registry: Registry
    questions: Questions
    calls: Calls
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        metrics.UNKNOWN_STATUSES.admit(provider=self.registry.all_counted())

    def settle(self, due: Due) -> Met:
        """Ask -> store, wait or lose. Raises Failure(Reason.DATABASE): then the job comes back with its lease."""
        provider = self.registry.find(due.job.provider, due.job.model)
        poll = provider.poll or Poll()
        try:
            word = self.questions.ask(due, provider, poll)
        except Stopping:
            self._record(due, at_once(due))
            return Met(is_answered=False)
        except Failure as failure:
            return self._failed(due, failure, provider, poll)
        self.calls.count(due.job.provider)
        self._heard(due, word, provider, poll)
        return Met(is_answered=True)

    def _heard(self, due: Due, word: Word, provider: Provider, poll: Poll) -> None:
        report = word.report
        if report.said in FINAL:
            with traces.span("outlast.poll", due.traceparent):
                self._store(due, word, provider)
            return
        if report.said is Said.UNKNOWN:
            metrics.UNKNOWN_STATUSES.add(provider=self.registry.counted_as(due.job.provider))
            log.info("status_unknown", task_id=str(due.job.key), provider=provider.name, word=kept_word(report.word))
        self._record(due, after_word(due, report, word.wait, provider, poll, self.clock()))

    def _store(self, due: Due, word: Word, provider: Provider) -> None:
        report = word.report
        try:
            job = replace(due.job, record_url=word.record_url)
            number = self.reported.store(job, report, provider, self.clock())
        except (UnusableError, Unstorable) as error:
            log.warning("report_unusable", task_id=str(due.job.key), provider=provider.name, why=str(error))
            self.reported.lose(due.job, Reason.NO_OUTPUT, {"why": f"the provider's report cannot be kept: {error}"})
            return
        self.reported.close(due.job, report.word)
        told = {"said": str(report.said), "outputs": number, "passed_over": report.notes}
        log.info("job_reported", task_id=str(due.job.key), provider=provider.name, asked=due.asked, **told)

    def _failed(self, due: Due, failure: Failure, provider: Provider, poll: Poll) -> Met:
        self.calls.count(due.job.provider, failure)
        again = after_failure(due, failure, provider, poll, now := self.clock())
        about = {"task_id": str(due.job.key), "provider": provider.name, "reason": str(failure.reason)}
        if is_lost(again, now):
            log.warning("job_lost", asked=due.asked, unknown=again.unknown, **about)
            evidence = {**failure.evidence, "asked": due.asked, "unknown_since": str(again.unknown_since)}
            self.reported.lose(due.job, failure.reason, evidence)
            return Met(is_answered=True)
        tell = log.warning if failure.reason in LOUD else log.info
        tell(
            "asked_in_vain",
            **about,
            troubles=again.troubles,
            again_in=round(again.due_seconds, 1),
            evidence=failure.evidence,
            remedy=failure.reason.rule.sentence,
        )
        self._record(due, again)
        return Met(is_answered="answer_status" in failure.evidence, pause_seconds=_pause(failure))

    def _record(self, due: Due, again: Again) -> None:
        values = again.values()
        self.database.run("polled", job_key=due.job.key, **{**values, "word": kept_word(values["word"])})


def _pause(failure: Failure) -> float:
    """How long the whole provider is left alone."""
    wish = failure.retry_after or 0.0
    if failure.reason is Reason.RATE_LIMITED:
        return min(max(wish, LIMITED_SECONDS), MOST_PAUSE_SECONDS)
    return min(wish, MOST_PAUSE_SECONDS) if failure.reason is Reason.SOURCE_UNAVAILABLE else 0.0
