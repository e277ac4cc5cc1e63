"""What must be true at the end of the demonstration, each point looked at and not taken from a record."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from deploy.local.demo.provider import Offer
from deploy.local.demo.scenario import COMPLETE, Capture
from deploy.local.demo.signing import expires_at
from deploy.local.loopback import call
from shared.db.views import PublicTask
from shared.errors import Failure
from shared.objects import NotThere, Store
from shared.states import State

Ended = Sequence[tuple[Capture, PublicTask | None]]


@dataclass(frozen=True)
class Finding:
    """One point that was looked at."""

    holds: bool
    text: str


def endings(ended: Ended) -> list[Finding]:
    """Whether each capture ended as it must, or at all where that is open; one line for each that did not."""
    wrong = [
        Finding(False, f"{capture.label} ended as {_stand(task)}, where {_must(capture)} was right")
        for capture, task in ended
        if not _as_must(capture, task)
    ]
    return wrong or [Finding(True, f"all {len(ended)} outputs {_proven(ended)}")]


def assets(ended: Ended, store: Store) -> list[Finding]:
    """Whether each complete task's object reads back as the bytes that the provider offered."""
    complete = [(capture, task) for capture, task in ended if task is not None and task.state == State.COMPLETE]
    wrong = [
        Finding(False, f"{capture.label}: {trouble}")
        for capture, task in complete
        if (trouble := _difference(capture.offer, task, store))
    ]
    if not complete:
        return [Finding(True, "none is complete, so there is no asset to read back")]
    return wrong or [Finding(True, f"all {len(complete)} complete ones read back with the digest of their source")]


def dead_links(links: Sequence[str]) -> Finding:
    """Whether every link now gets 403, asked one by one."""
    answers = Counter(_status(link) for link in links)
    told = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    return Finding(set(answers) == {403}, f"all {len(links)} links that the provider ever gave are asked: {told}")


def no_secret_in(logs: Iterable[Path], secret: str) -> Finding:
    """Whether a secret is in none of these files."""
    files = [path for path in logs if path.is_file()]
    holding = [path.name for path in files if secret.encode() in path.read_bytes()]
    if holding:
        return Finding(False, f"the secret of the links is in the logs {', '.join(holding)}")
    return Finding(bool(files), f"the secret of the links is in none of {len(files)} logs")


def seconds_until_dead(links: Iterable[str]) -> float:
    """Seconds until the last of the links ends; never negative."""
    last = max(map(expires_at, links), default=datetime.now(UTC))
    return max(0.0, (last - datetime.now(UTC)).total_seconds())


def _as_must(capture: Capture, task: PublicTask | None) -> bool:
    if task is None:
        return False
    if capture.ending is None:
        return task.state in {State.COMPLETE, State.NEEDS_ATTENTION}
    if capture.ending == COMPLETE:
        return task.state == State.COMPLETE
    return task.state == State.NEEDS_ATTENTION and task.reason in capture.ending


def _proven(ended: Ended) -> str:
    if all(capture.ending is not None for capture, _ in ended):
        return "ended as they must"
    states = Counter(task.state for _, task in ended if task is not None)
    return f"came to an end: {states[State.COMPLETE]} complete, {states[State.NEEDS_ATTENTION]} in need of attention"


def _must(capture: Capture) -> str:
    return " or ".join(sorted(capture.ending or ())) or "complete"


def _stand(task: PublicTask | None) -> str:
    return "nothing: it was never seen" if task is None else " / ".join(filter(None, (task.state, task.reason)))


def _difference(offer: Offer, task: PublicTask, store: Store) -> str:
    bucket, _, key = (task.durable_uri or "").removeprefix("s3://").partition("/")
    try:
        stored = store.digest(bucket, key)
    except (NotThere, Failure) as error:
        return f"its object cannot be read ({error!r})"
    source = hashlib.sha256()
    for chunk in offer.chunks():
        source.update(chunk)
    if {stored.sha256, task.sha256} == {source.hexdigest()} and stored.size == task.size == offer.size:
        return ""
    return "its object differs from its source"


def _status(link: str) -> int:
    parts = urlsplit(link)
    return call(parts.port or 80, "GET", f"{parts.path}?{parts.query}")[0]
