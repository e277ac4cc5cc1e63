"""When a link ends, as far as the link itself tells."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.expiry.families import FAMILIES, Claim, generic
from shared.expiry.instants import HORIZON, believable
from shared.expiry.parameters import Parameters

__all__ = ["HORIZON", "POLICY", "Confidence", "Life", "link_life"]

POLICY = "policy"
"""Where an end comes from that no link tells, but the provider's deletion policy."""

_MAX_CHARACTERS = 64 * 1024
_SESSION = ("x-amz-security-token", "x-goog-security-token", "x-tos-security-token", "x-oss-security-token")
_SESSIONS = (*_SESSION, "x-cos-security-token", "security-token")


class Confidence(StrEnum):
    """How far `expires_at` may be believed."""

    STATED = "stated"
    """The signature covers it."""
    AT_MOST = "at_most"
    """It was signed with credentials that may end earlier."""
    AMBIGUOUS = "ambiguous"
    """A parameter came twice; this is the earliest reading."""
    GUESSED = "guessed"
    """Read from a form that is common, but not sure to mean this."""
    UNKNOWN = "unknown"
    """The link does not tell."""


@dataclass(frozen=True)
class Life:
    """The life of a link; instants are aware and in UTC. `family` is `none` if no form was recognised."""

    issued_at: datetime | None
    expires_at: datetime | None
    family: str
    confidence: Confidence


def link_life(url: str, now: datetime) -> Life:
    """Read from `url` when it ends; `now` is aware.

    Where several families apply the earliest end counts. Rubbish is unknown: it never raises, and never lives
    more than ten years.
    """
    if len(url) > _MAX_CHARACTERS:
        return Life(None, None, "none", Confidence.UNKNOWN)
    parameters = Parameters(url)
    lives = [
        _life(name, claim, parameters, now)
        for name, family in FAMILIES.items()
        if (claim := family(parameters)) is not None
    ]
    if not lives and (claim := generic(parameters)):
        lives = [_life("generic", claim, parameters, now)]
    known = [life for life in lives if life.expires_at]
    if known:
        return min(known, key=lambda life: life.expires_at or now)
    return lives[0] if lives else Life(None, None, "none", Confidence.UNKNOWN)


def _life(family: str, claim: Claim, parameters: Parameters, now: datetime) -> Life:
    issued_at = max(believable(claim.starts, now), default=None)
    expires_at = min(believable(claim.ends, now), default=None)
    if expires_at is None:
        return Life(issued_at, None, family, Confidence.UNKNOWN)
    if not claim.is_sure:
        return Life(issued_at, expires_at, family, Confidence.GUESSED)
    if parameters.repeats(*claim.names):
        return Life(issued_at, expires_at, family, Confidence.AMBIGUOUS)
    is_session = any(map(parameters.has, _SESSIONS))
    return Life(issued_at, expires_at, family, Confidence.AT_MOST if is_session else Confidence.STATED)
