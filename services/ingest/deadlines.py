"""When a reported output ends: of the link, by its own words, the event's, and the provider's policy."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.expiry import HORIZON, POLICY, Confidence, link_life
from shared.messages import OutputReady
from shared.providers import Provider


@dataclass(frozen=True)
class Deadlines:
    """What is known of the time that is left; None is unknown, and unknown is a legal value.

    `life_is_sure` is False where the end may come sooner than is said, or nothing is said.
    """

    issued_at: datetime | None
    url_expires_at: datetime | None
    expires_from: str
    confidence: Confidence
    deadline: datetime | None
    life_seconds: float | None
    life_is_sure: bool


def deadlines_of(data: OutputReady, ready_at: datetime, now: datetime, provider: Provider) -> Deadlines:
    """The earliest of the URL's parameters, the event's field and the provider's policy.

    `deadline` is the last instant at which any known way can give the bytes: with a refresh the end of
    the job record (unknown where the provider's entry does not say), else the link's own end.
    """
    life = link_life(data.link, now) if data.link else None
    known: list[tuple[datetime, str, Confidence]] = []
    if life and life.expires_at:
        known.append((life.expires_at, life.family, life.confidence))
    # Beyond the horizon is somebody's word for "never", which nothing is.
    if data.url_expires_at and data.url_expires_at < now + HORIZON:
        known.append((data.url_expires_at, "event", Confidence.STATED))
    if provider.life.url:
        known.append((ready_at + timedelta(seconds=provider.life.url), POLICY, Confidence.GUESSED))
    expires_at, expires_from, confidence = min(known, default=(None, "none", Confidence.UNKNOWN), key=lambda k: k[0])
    issued_at = life.issued_at if life else None
    deadline = _deadline(provider, data, ready_at, expires_at)
    is_measured = expires_at is not None and confidence is not Confidence.AT_MOST
    return Deadlines(
        issued_at=issued_at,
        url_expires_at=expires_at,
        expires_from=expires_from,
        confidence=confidence,
        deadline=deadline,
        life_seconds=(expires_at - (issued_at or ready_at)).total_seconds() if expires_at and is_measured else None,
        life_is_sure=is_measured or deadline not in (None, expires_at),
    )


def _deadline(
    provider: Provider, data: OutputReady, ready_at: datetime, expires_at: datetime | None
) -> datetime | None:
    refresh = provider.refresh
    has_way = refresh is not None and bool(refresh.url or data.record)
    if provider.content is None and not has_way:
        return expires_at
    record_end = ready_at + timedelta(seconds=provider.life.record) if provider.life.record else None
    # A content endpoint gives the bytes until the end that the provider told, or deletes them with its record.
    return record_end or (expires_at if provider.content and not has_way else None)
