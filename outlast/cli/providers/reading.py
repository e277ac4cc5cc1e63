"""Reads an answer of a provider in the same way as the services do, and stores nothing."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import jmespath

from outlast.catalogue.describing import readings
from outlast.cli.providers.meaning import meaning_of
from outlast.cli.providers.outputs import seen_outputs
from outlast.cli.providers.question import Fit, Question, fit_of
from outlast.cli.providers.seen import Seen, SeenOutput
from services.ingest.reported import UnusableError
from shared.providers import Registry
from shared.providers.entry import Poll
from shared.providers.reading import Reading
from shared.providers.report import Report, Said, Unreadable, read
from shared.providers.webhook import Webhook
from shared.redaction import redact

UNREADABLE, HINT, CHALLENGE = "unreadable", "hint", "challenge"
"""What is said by an answer that the entry cannot be applied to, and by webhooks that are no report."""
Hint = tuple[str, str, bool]
"""What is said, what follows, and whether it is understood."""


def understand(registry: Registry, question: Question, document: Any, now: datetime) -> Seen:
    """What an answer means; one to which the entry cannot be applied is `unreadable`."""
    try:
        reading, report = _read(registry, question, document)
        poll = registry.find(question.provider, report.model).poll
        hint = _hint_of(reading, poll, report, document) if isinstance(reading, Webhook) else None
        return (
            _of_hint(question, report, hint)
            if hint
            else _seen(registry, question, reading, report, fit_of(document, question.key), now)
        )
    except Unreadable as error:
        return _unreadable(question, f"The expressions of the entry cannot be applied to this answer ({error}).")
    except UnusableError as error:
        return _unreadable(question, f"No event can hold what it says: {error}.")


def _read(registry: Registry, question: Question, document: Any) -> tuple[Reading, Report]:
    reading = readings(registry.find(question.provider, question.model))[question.table]
    report = read(reading, document)
    if isinstance(reading, Webhook) and report.model:
        # As at the door, a webhook that names its model is read by what the entry says of that.
        reading = registry.find(question.provider, report.model).webhook or reading
        report = read(reading, document)
    return reading, report


def _seen(registry: Registry, question: Question, reading: Reading, report: Report, fit: Fit, now: datetime) -> Seen:
    # As in the services, the model that an answer names counts for the lives of its outputs.
    entry = registry.find(question.provider, report.model or question.model)
    outputs = tuple(seen_outputs(entry, question, report, now, fit))
    then, is_understood = meaning_of(reading, report, outputs)
    return Seen(
        provider=question.provider,
        read_as=question.table,
        said=report.said,
        word=fit(report.word) or "",
        job_id=fit(report.job_id or question.job_id),
        model=fit(report.model or question.model),
        completed_at=report.completed_at,
        code=fit(report.code),
        message=fit(report.message),
        outputs=outputs,
        notes=(*report.notes, *_of_other_job(question, report), *_of_missing_names(question, report, outputs)),
        next=then,
        is_understood=is_understood,
    )


def _hint_of(webhook: Webhook, poll: Poll | None, report: Report, document: Any) -> Hint | None:
    """What a webhook means that is no report; None for one that is."""
    if webhook.challenge and jmespath.search(webhook.challenge, document) is not None:
        return CHALLENGE, "It holds a challenge, which is sent back at once; nothing else follows.", True
    if report.job_id is None:
        return HINT, f"Nothing stands at job_id = {webhook.job_id!r}, so it is refused, and nothing follows.", False
    # A token proves nothing of the body unless a claim of it does.
    if webhook.reports and (webhook.scheme != "jwt" or webhook.body_claim):
        return None
    if report.said is Said.RUNNING:
        return HINT, "Its word is one of running, so nothing follows.", True
    if poll is None:
        return HINT, "The body is not believed, and there is no table [poll] to ask by: nothing follows.", False
    known = "" if poll.url else ", if an event told its record_url"
    return HINT, f"The body is not believed: the job is asked for at once{known}.", True


def _of_hint(question: Question, report: Report, hint: Hint) -> Seen:
    said, then, is_understood = hint
    return Seen(
        provider=question.provider,
        read_as=question.table,
        said=said,
        job_id=redact(report.job_id) if report.job_id else None,
        notes=tuple(_of_other_job(question, report)),
        next=then,
        is_understood=is_understood,
    )


def _unreadable(question: Question, why: str) -> Seen:
    return Seen(provider=question.provider, read_as=question.table, said=UNREADABLE, next=why, is_understood=False)


def _of_missing_names(question: Question, report: Report, outputs: Sequence[SeenOutput]) -> Iterator[str]:
    has_job = report.job_id or question.job_id
    missing = [*([] if question.account else ["--account"]), *([] if has_job else ["--job"])]
    if outputs and missing:
        yield f"task ids are told with {' and '.join(missing)}"


def _of_other_job(question: Question, report: Report) -> Iterator[str]:
    if question.job_id and report.job_id and question.job_id != report.job_id:
        yield "the answer is about another job than was asked for"
