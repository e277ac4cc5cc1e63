"""The story of one capture, line by line in order of time, for a terminal of any width."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console

from outlast.cli.keeping import kept_lines
from outlast.cli.printable import printable, shortened
from outlast.cli.spans import span

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.jobs import SeenJob
    from shared.db.story import SeenAct, SeenClaim, SeenProcessing, SeenSource, Story

MOST_FACTS = 16
"""Facts of one claim's evidence that are told, and ..."""
MOST_LETTERS = 160
"""... letters of each."""
MARGIN = 12
"""Letters in front of each line: the time of day."""
WAKE = "wake"
"""The act that makes a due retry claimable: its claim follows at once and tells the same."""

Line = tuple[datetime, str]
"""An instant and its text; what belongs to the line before begins with a blank."""


def print_story(console: Console, story: "Story", *, cut: bool) -> None:
    """Print events, links, claims and acts in order of time; `cut` says that the oldest acts are not among them."""
    lines = sorted(_lines(story), key=lambda line: line[0])
    if not lines:
        return
    console.print("\nStory, in UTC")
    if cut:
        _print(console, "", "Earlier acts are left out here; --json holds all.")
    day = time = ""
    for at, text in lines:
        told = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"
        if told[:10] != day:
            day, time = told[:10], ""
            _print(console, day, "")
        _print(console, "" if told[11:21] == time else told[11:21], text)
        time = told[11:21]


def _print(console: Console, time: str, text: str) -> None:
    deeper = " " * (len(text) - len(text.lstrip()))
    lines = textwrap.wrap(
        printable(text.lstrip()),
        max(console.width, 2 * MARGIN),
        initial_indent=f"{time:<{MARGIN}}{deeper}",
        subsequent_indent=f"{'':<{MARGIN}}{deeper}  ",
        break_on_hyphens=False,
    )
    for line in lines or [time]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _lines(story: "Story") -> Iterator[Line]:
    claims = {claim.epoch: claim for claim in story.claims}
    for event in story.events:
        yield event.received_at, f"event {event.type.removeprefix('outlast.')} {event.event_id} of {event.source}"
    for act in story.history:
        if act.act == WAKE:
            continue
        claim = claims.get(act.epoch)
        yield act.at, _act(act, claim)
        if claim is not None and claim.evidence and claim.ended_at == act.at:
            yield act.at, "  " + "; ".join(_facts(claim.evidence))
        if act.detail:
            yield act.at, "  " + "; ".join(_facts(act.detail))
    for source in story.sources:
        yield source.added_at, _link(source)
        if source.observed_expired_at:
            yield source.observed_expired_at, f"the link to {_host(source)} was seen to have ended"
    for processing in story.processing:
        yield processing.state_since, _processing(processing)
    yield from kept_lines(story)
    # One of which only the address is known was never asked for.
    yield from ((job.asked_at or job.started_at, _job(job)) for job in story.jobs if job.asked or job.due_at)


def _act(act: "SeenAct", claim: "SeenClaim | None") -> str:
    """One act: `claim 2: verify by verifier@vm:911`, `retry → download_retry: source_unavailable, after 0.4 s`."""
    name = f"claim {act.epoch}" if act.act == "claim" else act.act
    text = name if act.to_state in (act.from_state, name) else f"{name} → {act.to_state}"
    parts = [act.reason] if act.reason else []
    if claim is not None and act.act == "claim":
        parts.append(f"{claim.stage} by {claim.worker}" + ("" if claim.ended_at else ", which still runs"))
    elif claim is not None and claim.ended_at == act.at:
        parts.append(f"after {span((claim.ended_at - claim.started_at).total_seconds())}")
    return f"{text}: {', '.join(parts)}" if parts else text


def _link(source: "SeenSource") -> str:
    by = source.added_by.removeprefix("outlast_")
    if source.object is not None:
        return f"object s3://{source.object.get('bucket')}/{source.object.get('key')} from the {by}"
    if source.expires_at is None:
        return f"link to {_host(source)} from the {by}; its end is not known"
    ends = f"{source.expires_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return f"link to {_host(source)} from the {by}; ends {ends} ({source.expires_from}, {source.confidence})"


def _processing(processing: "SeenProcessing") -> str:
    result = f" → s3://{processing.result_bucket}/{processing.result_key}" if processing.result_key else ""
    why = ", ".join(filter(None, (processing.reason, processing.detail)))
    return f"processor {processing.processor_version}: {processing.state}{result}{f': {why}' if why else ''}"


def _job(job: "SeenJob") -> str:
    """`acme was asked 3 times: running; next question 11:20:03`, or why the latest ones brought nothing."""
    times = f"{job.asked} time{'' if job.asked == 1 else 's'}"
    told = ", ".join(filter(None, (job.last_word, job.last_reason)))
    ends = f"next question {job.due_at.astimezone(UTC):%H:%M:%S}" if job.due_at else "no further question"
    return f"{job.provider} was asked {times}{f': {told}' if told else ''}; {ends}"


def _host(source: "SeenSource") -> str:
    return source.host or "no host"


def _facts(evidence: Mapping[str, Any]) -> Iterator[str]:
    for name, value in list(evidence.items())[:MOST_FACTS]:
        text = _hops(value) if name == "hops" else value if isinstance(value, str) else json.dumps(value)
        yield f"{name}: {shortened(text, MOST_LETTERS)}"
    if len(evidence) > MOST_FACTS:
        yield f"and {len(evidence) - MOST_FACTS} more"


def _hops(hops: Any) -> str:
    """`cdn.example 302, media.example 403`; whatever else it is stays as it is."""
    try:
        return ", ".join(f"{hop['host']} {hop['status'] or 'no answer'}" for hop in hops)
    except (KeyError, TypeError):
        return json.dumps(hops)
