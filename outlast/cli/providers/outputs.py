"""The outputs that a finished job names: their tasks, how their bytes are had, and until when."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from math import inf

from outlast.catalogue.describing import ENDPOINT
from outlast.cli.providers.question import Fit, Question
from outlast.cli.providers.seen import SeenOutput
from services.ingest.deadlines import deadlines_of
from services.ingest.reported import Job, events_of
from shared.egress import Policy, Refused, parse
from shared.egress.guard import addresses, judge
from shared.errors import Failure
from shared.links import place_of
from shared.messages import OutputReady, OutputReadyEvent, task_id_of
from shared.providers import Provider
from shared.providers.report import Report, Said

LINK, DATA, FRESH = "link", "data link", "fresh link"
"""Where bytes come from, beside the content endpoint."""
NOBODY = "-"
"""In place of names that nobody gave; no task id is told then."""


def seen_outputs(entry: Provider, question: Question, report: Report, now: datetime, fit: Fit) -> Iterator[SeenOutput]:
    """Each output with the task of the event that it becomes. Raises UnusableError for what no event can hold."""
    if report.said is not Said.DONE:
        return
    job_id = report.job_id or question.job_id
    names = (question.account or NOBODY, question.provider, question.provider_account, job_id or NOBODY)
    job = Job(*names, report.model, question.record_url)
    policy = replace(question.policy, hosts=entry.hosts)
    for output, event in zip(report.outputs, events_of(job, report), strict=True):
        task_id = task_id_of(job.account, event.data) if question.account and job_id else None
        seen = SeenOutput(output_id=fit(output.output_id) or "", task_id=task_id)
        if isinstance(event, OutputReadyEvent):
            yield _ready(entry, policy, event.data, now, seen)
        else:
            yield replace(seen, fault=f"the provider says that it failed: {fit(output.code or output.message)}")


def _ready(entry: Provider, policy: Policy, data: OutputReady, now: datetime, seen: SeenOutput) -> SeenOutput:
    way, fault = _way(entry, policy, data.link)
    ends = deadlines_of(data, data.ready_at or now, now, entry)
    known = replace(
        seen,
        kind=data.kind,
        way=way,
        fault=fault,
        ready_at=data.ready_at or now,
        expires_at=ends.url_expires_at,
        expires_from=ends.expires_from,
        confidence=ends.confidence,
        deadline=ends.deadline,
    )
    return known if data.link is None or way == DATA else _placed(known, entry, policy, data.link)


def _placed(seen: SeenOutput, entry: Provider, policy: Policy, link: str) -> SeenOutput:
    place = place_of(link)
    return replace(
        seen,
        host=place.host,
        path_sha256=place.path_sha256,
        is_listed=policy.names(place.host) if entry.hosts else None,
        needs_key=seen.way == LINK and entry.credential is not None and entry.credential.is_for(parse(link)),
    )


def _way(entry: Provider, policy: Policy, link: str | None) -> tuple[str, str | None]:
    """How the bytes are had, or why they cannot be."""
    if link is None:
        way = ENDPOINT if entry.content else FRESH if entry.refresh else ""
        return way, None if way else "it has no link, and neither [content] nor [refresh] gives one"
    if link[:5].lower() == "data:":
        return DATA, None
    try:
        target = parse(link)
        judge(target, policy)
        if target.literal:
            addresses(target, policy, inf)
    except Refused as refused:
        return "", f"its link is one that Outlast never follows (blocked_address: {refused.why})"
    except Failure as failure:
        refused_as = failure.evidence.get("refused")
        return "", f"its link would be refused ({failure.reason}{f': {refused_as}' if refused_as else ''})"
    return LINK, None
