"""From what a provider's record says of a job to the events that the intake would have brought of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from services.ingest.events import Events
from services.ingest.kept import kept_word
from shared.db import Database
from shared.messages import (
    EVENTS,
    PLACEHOLDER,
    IntakeEvent,
    Kind,
    describe,
    download_key,
    task_id_from,
)
from shared.providers import Provider
from shared.providers.report import Output, Report, Said
from shared.reasons import Reason
from shared.redaction import redact
from shared.states import State

FINAL = frozenset({Said.DONE, Said.FAILED, Said.FILTERED})
"""What ends a job."""
_TEXTS = ("text", "text/plain", "text/csv", "text/markdown", "text/vtt", "application/json")
KINDS = MappingProxyType({"application/pdf": Kind.PDF} | dict.fromkeys(_TEXTS, Kind.TEXT))
"""Words of providers that name a kind by another name than ours."""
_FAILURES: Mapping[Said, Reason] = MappingProxyType({Said.FILTERED: Reason.PROVIDER_FILTERED})


class UnusableError(ValueError):
    """A report holds an id or a text that no event may hold; the text says which, and nothing of it."""


@dataclass(frozen=True)
class Job:
    """A provider's job, and for whom it works."""

    account: str
    provider: str
    provider_account: str
    job_id: str
    model: str | None = None
    record_url: str | None = field(default=None, repr=False)
    """The address of its record, where an event gave it: a credential."""

    @property
    def key(self) -> UUID:
        """The task id of its placeholder, by which its row in `jobs` is found."""
        names = (self.account, self.provider, self.provider_account, self.job_id)
        return task_id_from(download_key(*names, PLACEHOLDER))


class Reported:
    """Stores what became of jobs. Safe to repeat, from several doors at once: equal reports are equal events."""

    def __init__(self, database: Database, events: Events) -> None:
        self._database = database
        self._events = events

    def store(self, job: Job, report: Report, entry: Provider, now: datetime) -> int:
        """Store a final report; returns the number of its outputs.

        Raises UnusableError for what no event can say, Failure(Reason.DATABASE) and Unstorable as `accept` does.
        Until `close`, the job is asked for again, so that a half of it which is stored brings the other.
        """
        report = _with_a_way(report, entry)
        events = list(events_of(job, report))
        for event in events:
            model, body = report.model or job.model, event.id.encode()
            answer = self._events.accept(job.account, event, body, model=model, is_report=True)
            if answer.state == State.GENERATING:
                # A failure that was told before somebody had the job asked for again.
                self._stop(job, _FAILURES.get(report.said, Reason.PROVIDER_FAILED), report)
        if not events:
            self._stop(job, _why_nothing(report, entry, now), report)
        return len(events)

    def close(self, job: Job, word: str) -> None:
        """End the questions about a job whose report is stored."""
        self._database.run("reported", job_key=job.key, word=kept_word(word))

    def lose(self, job: Job, reason: Reason, detail: Mapping[str, Any]) -> None:
        """Stop waiting for a job that the provider will not tell of any more."""
        told = {name: kept_word(value) if isinstance(value, str) else value for name, value in detail.items()}
        self._database.run("fruitless", job_key=job.key, reason=str(reason), detail=redact(told))
        self._database.run("reported", job_key=job.key, word=None)

    def _stop(self, job: Job, reason: Reason, report: Report) -> None:
        detail = {"provider_status": kept_word(report.word), "passed_over": list(report.notes[:20])}
        self._database.run("fruitless", job_key=job.key, reason=str(reason), detail=detail)


def events_of(job: Job, report: Report) -> Iterator[IntakeEvent]:
    """The events that a final report is. Raises UnusableError."""
    if report.said is not Said.DONE:
        yield _event(job, "outlast.output.failed", _failure(report), (report.said, report.code, report.message))
        return
    for output in report.outputs:
        if output.has_failed:
            told = {"output_id": output.output_id, **_words(output.code, output.message)}
            yield _event(job, "outlast.output.failed", told, (output.output_id, output.code, output.message))
        else:
            ready = {**_ready(output, report), "record_url": job.record_url}
            yield _event(job, "outlast.output.ready", ready, (output.output_id, output.link))


def _with_a_way(report: Report, entry: Provider) -> Report:
    """The report without outputs that have no link, where there is no other way to their bytes."""
    if entry.content or entry.refresh:
        return report
    return replace(report, outputs=tuple(output for output in report.outputs if output.link or output.has_failed))


def _ready(output: Output, report: Report) -> dict[str, Any]:
    return {
        "output_id": output.output_id,
        "url": output.link,
        "url_expires_at": output.expires_at,
        "ready_at": report.completed_at,
        "kind": _kind(output.kind),
    }


def _failure(report: Report) -> dict[str, Any]:
    failure = "filtered" if report.said is Said.FILTERED else "failed"
    return {"failure": failure, **_words(report.code or report.word, report.message)}


def _words(code: str | None, message: str | None) -> dict[str, Any]:
    return {"code": kept_word(code), "message": kept_word(message)}


def _kind(told: str | None) -> Kind | None:
    """The promised kind, from its name or a media type; None for any other word, as a promise must be kept."""
    word = (told or "").partition("/")[0].lower()
    if word in set(Kind) - {Kind.TEXT, Kind.OTHER}:
        return Kind(word)
    return KINDS.get((told or "").partition(";")[0].strip().lower())


def _event(job: Job, kind: str, told: Mapping[str, Any], content: tuple[object, ...]) -> IntakeEvent:
    """An event that is called by its content, so that webhook, repeated webhook and poll say the same one."""
    names = {"provider": job.provider, "provider_account": job.provider_account, "job_id": job.job_id}
    event_id = sha256(json.dumps([*names.values(), kind, *content]).encode()).hexdigest()
    data = {name: value for name, value in {**names, **told}.items() if value is not None}
    try:
        return EVENTS[kind].model_validate({"id": event_id, "source": f"provider/{job.provider}", "data": data})
    except ValidationError as error:
        raise UnusableError(describe(error)) from None


def _why_nothing(report: Report, entry: Provider, now: datetime) -> Reason:
    """A finished job that names no output never had one, unless its provider deletes them and the time has come."""
    life = entry.life.record
    if life and report.completed_at and now - report.completed_at >= timedelta(seconds=life):
        return Reason.JOB_RECORD_GONE
    return Reason.NO_OUTPUT
