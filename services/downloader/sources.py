"""Where a task's bytes can be had: its sealed sources, freshest first, or a fresh link from the provider."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

import structlog

from services.downloader.clocks import Clocks
from services.downloader.decide import REFRESHES
from services.downloader.delays import margin
from services.downloader.order import Clock
from shared.db import Database
from shared.db.clock import DatabaseClock
from shared.db.database import Row
from shared.egress import Policy
from shared.errors import Failure
from shared.expiry import HORIZON, POLICY, Confidence, link_life
from shared.links import place_of
from shared.providers import Provider, Registry
from shared.providers.keys import Key, Keys
from shared.providers.record import FreshLink
from shared.providers.refresh import refresh
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.vault import Unsealable, Vault

log = structlog.get_logger(__name__)

REFRESH_SECONDS = 30.0
"""Limit for one question to a provider."""
AGAIN_SECONDS = 2.0
"""Least wait after a provider gave a link that is no good; doubled each time."""
CERTAIN = frozenset({Confidence.STATED, Confidence.AT_MOST})
"""Confidences at which a link past its expiry is not worth a request."""


@dataclass(frozen=True)
class Source:
    """One way to the bytes, opened; `url` is a credential and stays in memory."""

    source_id: UUID
    url: str
    expires_at: datetime | None
    issued_at: datetime | None
    added_at: datetime
    refreshed: bool = False
    """Whether the provider gave it in this claim, which the claim's own count does not know."""
    deleted_at: datetime | None = None
    """When the provider's policy deletes the bytes, so that a transfer must also end by then."""
    key: Key | None = None
    """What the link itself needs, being a content endpoint of the provider's API."""
    object: Mapping[str, str] | None = None
    """In place of a link: bucket, key, and version_id or etag of an object of the input bucket."""
    is_guess: bool = False
    """Whether `expires_at` is only guessed from the link."""

    def end(self, now: datetime) -> datetime | None:
        """When it ends; None where that is unknown, or a guess that has passed and so was wrong, perhaps."""
        return None if self.is_guess and self.expires_at and self.expires_at <= now else self.expires_at


class Sources:
    """Opens the sources of claimed tasks, and refreshes them."""

    def __init__(
        self,
        database: Database,
        recorder: Recorder,
        vault: Vault,
        registry: Registry,
        policy: Callable[[Provider], Policy],
    ) -> None:
        self._database = database
        self._recorder = recorder
        self._vault = vault
        self._registry = registry
        self._policy = policy
        self._keys = Keys(registry.all())
        self._clocks = Clocks(DatabaseClock(database).now)

    def open(self, claim: Claim) -> Source:
        """The freshest usable source of the task, else a fresh one from its provider.

        Raises Failure: url_expired where no link is left and none can be had, keyring where one is left that
        no key opens, or what the refresh says.
        """
        spare = 2 * margin(_life(claim)) if self._can_refresh(claim) else 0.0
        if source := self._stored(claim, spare):
            return source
        try:
            return self._refreshed(claim)
        except Failure as failure:
            # Where no fresh link can be had, one that is about to end is still a way.
            if spare and (source := self._stored(claim, 0.0)):
                log.info("last_link", reason=str(failure.reason))
                return source
            raise

    def elsewhere(self, claim: Claim, spent: Source | None, *, by_refresh: bool) -> bool:
        """Whether another source, or a refresh if that would help, is left once `spent` is used up."""
        refreshed = spent is not None and spent.refreshed
        return (by_refresh and self._can_refresh(claim, 1 if refreshed else 0)) or any(
            (spent is None or row["source_id"] != spent.source_id) and self._is_usable(row)
            for row in self._database.run("sources", task_id=claim.task_id)
        )

    def clock_of(self, source: Source | None) -> Clock:
        """What time it is at a source; by the database's clock where that told none, or there is no source."""
        return self._clocks.of(place_of(source.url).host if source else "")

    def mark_ended(self, source_id: UUID) -> None:
        """Remember that a source was seen to have ended, so that it is not tried first again."""
        self._database.run("expired_source", source_id=source_id)

    def _stored(self, claim: Claim, spare: float) -> Source | None:
        """The freshest usable source; one that no key opens is passed over where another one is usable."""
        sealed: Failure | None = None
        for row in self._database.run("sources", task_id=claim.task_id):
            if not self._is_usable(row, spare):
                continue
            try:
                return self._opened(claim, row)
            except Failure as failure:
                if failure.reason is not Reason.KEYRING:
                    raise
                sealed = sealed or failure
        if sealed:
            raise sealed
        return None

    def _opened(self, claim: Claim, row: Row) -> Source:
        if row["object"] is not None:
            return Source(row["source_id"], "", None, None, row["added_at"], object=row["object"])
        url = self._unsealed(claim, row)
        return Source(
            row["source_id"],
            url,
            row["expires_at"],
            row["issued_at"],
            row["added_at"],
            is_guess=row["confidence"] not in CERTAIN and row["expires_from"] != POLICY,
            deleted_at=row["expires_at"] if row["expires_from"] == POLICY else None,
            key=self._key_for(claim, url),
        )

    def _is_usable(self, row: Row, spare: float = 0.0) -> bool:
        """Whether a source is worth a request: not seen to have ended, nor surely ended within `spare` seconds."""
        if row["observed_expired_at"] is not None:
            return False
        if row["expires_at"] is None or row["confidence"] not in CERTAIN:
            return True
        return bool((row["expires_at"] - self._clocks.of(row["host"]).now()).total_seconds() > spare)

    def _key_for(self, claim: Claim, url: str) -> Key | None:
        return self._keys.for_link(self._registry.find(claim.provider), claim.provider_account, claim.ready_at, url)

    def _unsealed(self, claim: Claim, row: Row) -> str:
        try:
            return self._vault.unseal(claim.task_id, row["source_id"], row["sealed"])
        except Unsealable as error:
            raise Failure(Reason.KEYRING, {"detail": str(error)}) from None

    def _can_refresh(self, claim: Claim, further: int = 0) -> bool:
        known = self._registry.find(claim.provider).refresh is not None
        return known and claim.refreshes + further < REFRESHES

    def _refreshed(self, claim: Claim) -> Source:
        provider = self._registry.find(claim.provider)
        if not self._can_refresh(claim):
            raise self._nothing_left(claim, provider)
        deadline = time.monotonic() + REFRESH_SECONDS
        # The address of the job record is the operator's own, so only the deny table applies to it.
        api = replace(self._policy(provider), hosts=())
        try:
            key = self._keys.of_account(provider, claim.provider_account, claim.ready_at)
            link = refresh(provider, key, claim.job_id, claim.output_id, api, deadline)
        except Failure as failure:
            metrics.REFRESHES.add(outcome="gone" if failure.reason is Reason.JOB_RECORD_GONE else "failed")
            raise Failure(
                failure.reason, {**failure.evidence, "during": "refresh"}, retry_after=failure.retry_after
            ) from None
        metrics.REFRESHES.add(outcome="fresh")
        return self._keep(claim, provider, link)

    def _nothing_left(self, claim: Claim, provider: Provider) -> Failure:
        if not provider.refresh and not self._database.run("sources", task_id=claim.task_id):
            return Failure(Reason.NO_OUTPUT, {"refresh": "no way, and the event had no link"})
        return Failure(Reason.URL_EXPIRED, {"refresh": "spent" if provider.refresh else "no way"})

    def _keep(self, claim: Claim, provider: Provider, link: FreshLink) -> Source:
        now = self._clocks.of(place_of(link.url).host).now()
        life = link_life(link.url, now)
        expires_at = min((t for t in (life.expires_at, link.expires_at) if t and t < now + HORIZON), default=None)
        # Credentials that end sooner end the link with them, whatever it says.
        is_sure = expires_at is not None and (expires_at, life.confidence) != (life.expires_at, Confidence.AT_MOST)
        is_dead = expires_at is not None and expires_at <= now
        source_id = uuid4()
        place = place_of(link.url)
        record_end = provider.life.record
        self._recorder.record(
            claim,
            "refreshed",
            source_id=source_id,
            sealed=self._vault.seal(claim.task_id, source_id, link.url),
            host=place.host,
            path_sha256=place.path_sha256,
            issued_at=life.issued_at,
            expires_at=expires_at,
            expires_from="refresh" if link.expires_at else life.family,
            confidence=life.confidence,
            deadline=expires_at if record_end is None and not is_dead else None,
            life_seconds=(expires_at - (life.issued_at or now)).total_seconds() if expires_at and is_sure else None,
            life_is_sure=is_sure,
            counted_as=self._registry.counted_as(claim.provider),
        )
        if is_dead:
            # The provider handed out a link that is dead already, perhaps the old one.
            self.mark_ended(source_id)
            evidence = {"refresh": "the provider's link had expired"}
            raise Failure(Reason.URL_EXPIRED, evidence, retry_after=again_seconds(claim.refreshes))
        key = self._key_for(claim, link.url)
        return Source(source_id, link.url, expires_at, life.issued_at, now, refreshed=True, key=key)


def again_seconds(refreshes: int) -> float:
    """Least seconds to the next question where the link of this one, after so many before, was no good."""
    return AGAIN_SECONDS * 2.0**refreshes


def _life(claim: Claim) -> float:
    """Seconds from the output being ready to the end of its link; 0 where that is unknown."""
    return (claim.url_expires_at - claim.ready_at).total_seconds() if claim.url_expires_at else 0.0
