"""What follows a failed transfer: another try and when, or the end."""

from dataclasses import dataclass
from enum import StrEnum

from shared.reasons import Next, Reason

TRANSFERS = 8
"""Transfers that a source may fail, while it answers, before the task stops."""
AWAY = frozenset({Reason.SOURCE_UNAVAILABLE, Reason.RATE_LIMITED, Reason.CREDENTIAL_MISSING})
"""A source that is away, or our key to it, is asked for again as long as its link lives, however often that is."""
AWAY_SECONDS = 3600.0
"""The same, from the output being ready, where the life of the link is unknown."""
REFRESHES = 3
"""Fresh links that are asked for per task."""
DENIED = frozenset({Reason.URL_REFUSED, Reason.SOURCE_GONE})
"""What a fresh link suffers too is not asked for again: one refresh is all that helps, if anything does."""
EARLY_SECONDS = 30.0
"""A refusal this soon after the output was ready may heal by itself."""
EARLY_TRIES = 3
HEALING_SECONDS = 2.0
"""Least wait before the first of those tries; doubled each time, so that they reach over 14 s."""
ERROR_BODY_TRIES = 3


class Step(StrEnum):
    """What to do with the task."""

    RETRY = "retry"
    RETRY_ELSEWHERE = "retry_elsewhere"
    """The source has ended; try another or a fresh one."""
    STOP = "stop"
    ABANDON = "abandon"


@dataclass(frozen=True)
class Situation:
    """What is known when a transfer has failed.

    `delay` is the back-off in seconds, None when the link's life leaves no room for one; `life_known`
    says whether there is such an end; `elsewhere` says whether there is another source or a way to a fresh one.
    """

    reason: Reason
    tries: int
    refreshes: int
    seconds_since_ready: float
    delay: float | None
    life_known: bool
    elsewhere: bool


def decide(now: Situation) -> Step:
    """The step after a failure."""
    follows = now.reason.rule.next
    if follows is Next.ABANDON:
        return Step.ABANDON
    if follows is Next.STOP:
        return Step.STOP
    if _is_spent(now):
        return _elsewhere(now)
    if follows is Next.TRANSFER_AGAIN:
        return Step.RETRY if now.tries == 0 else Step.STOP
    if follows is Next.RETRY_THEN_REFRESH and now.tries + 1 >= ERROR_BODY_TRIES:
        return _elsewhere(now) if now.refreshes == 0 else Step.STOP
    if follows is Next.REFRESH and not healing_seconds(now.reason, now.tries, now.seconds_since_ready):
        return _elsewhere(now)
    return Step.RETRY if now.delay is not None else _elsewhere(now)


def _is_spent(now: Situation) -> bool:
    if now.reason in AWAY:
        return not now.life_known and now.seconds_since_ready > AWAY_SECONDS
    return now.tries + 1 >= TRANSFERS


def healing_seconds(reason: Reason, tries: int, seconds_since_ready: float) -> float:
    """How long a refusal that may heal by itself is left alone; 0 for any other."""
    early = seconds_since_ready < EARLY_SECONDS and tries < EARLY_TRIES
    return HEALING_SECONDS * 2.0**tries if reason is Reason.URL_REFUSED and early else 0.0


def _elsewhere(now: Situation) -> Step:
    return Step.RETRY_ELSEWHERE if now.elsewhere else Step.STOP
