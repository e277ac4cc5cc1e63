"""When a job is asked for again, and when its provider is believed that it knows no such job."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from services.ingest.polling.due import Due
from shared.errors import Failure
from shared.providers import Provider
from shared.providers.asking import Unknown
from shared.providers.entry import Poll
from shared.providers.pace import next_question, patience
from shared.providers.report import Report
from shared.reasons import Reason

EARLY_SECONDS = 60.0
"""A job that began so lately may not have come to all of its provider's parts yet."""
UNKNOWN_TIMES, UNKNOWN_SECONDS = 3, 30.0
"""A job is lost after so many answers in a row, over at least so long, that there is no such job."""


@dataclass(frozen=True)
class Again:
    """The values of the act `polled`."""

    due_seconds: float
    troubles: int = 0
    unknown: int = 0
    unknown_since: datetime | None = None
    word: str | None = None
    reason: Reason | None = None

    def values(self) -> Mapping[str, Any]:
        """For the statement."""
        return {**asdict(self), "reason": str(self.reason) if self.reason else None}


def at_once(due: Due) -> Again:
    """For whoever comes next, as this question was not asked to its end."""
    return Again(0.0, due.troubles, due.unknown, due.unknown_since)


def after_word(due: Due, report: Report, wait: float | None, provider: Provider, poll: Poll, now: datetime) -> Again:
    """After an answer that the job is not done."""
    age = (now - due.started_at).total_seconds()
    return Again(next_question(poll, age, wish=wait or 0.0, patience=patience(provider)), word=report.word)


def after_failure(due: Due, failure: Failure, provider: Provider, poll: Poll, now: datetime) -> Again:
    """After a question that brought no word of the job."""
    age = (now - due.started_at).total_seconds()
    is_early = isinstance(failure, Unknown) and age < EARLY_SECONDS
    troubles = due.troubles + (0 if is_early else 1)
    wish = failure.retry_after or 0.0
    seconds = next_question(poll, age, troubles=troubles, wish=wish, patience=patience(provider))
    again = Again(seconds, troubles, word=_word(failure), reason=failure.reason)
    if not isinstance(failure, Unknown) or is_early:
        return again
    return replace(again, unknown=due.unknown + 1, unknown_since=due.unknown_since or now)


def is_lost(again: Again, now: datetime) -> bool:
    """Whether the provider said often enough that it knows no such job."""
    since = again.unknown_since
    return again.unknown >= UNKNOWN_TIMES and since is not None and (now - since).total_seconds() >= UNKNOWN_SECONDS


def _word(failure: Failure) -> str | None:
    """The provider's own word in a failure, or its HTTP status."""
    told = failure.evidence.get("provider_error") or failure.evidence.get("provider_status")
    status = failure.evidence.get("answer_status")
    return str(told) if told else f"HTTP {status}" if status else None
