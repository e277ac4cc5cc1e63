"""Fresh links from the provider: asked for, judged by what they say of themselves, and kept as further sources."""

import time
from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

from services.downloader.clocks import Clocks
from services.downloader.decide import REFRESHES
from services.downloader.source import Source
from shared.db import Database
from shared.egress import Policy
from shared.errors import Failure
from shared.expiry import HORIZON, Confidence, link_life
from shared.links import place_of
from shared.messages import PLACEHOLDER, download_key, task_id_from
from shared.providers import Provider, Registry
from shared.providers.asking import address
from shared.providers.calls import Calls
from shared.providers.keys import Keys
from shared.providers.record import FreshLink
from shared.providers.refresh import refresh
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.vault import Unsealable, Vault

REFRESH_SECONDS = 30.0
"""Limit for one question to a provider."""
AGAIN_SECONDS = 2.0
"""Least wait after a provider gave a link that is no good; doubled each time."""


class Refresher:
    """Asks providers for fresh links to the outputs of claimed tasks."""

    def __init__(
        self,
        database: Database,
        recorder: Recorder,
        vault: Vault,
        registry: Registry,
        policy: Callable[[Provider], Policy],
        keys: Keys,
        clocks: Clocks,
    ) -> None:
        self._database = database
        self._recorder = recorder
        self._vault = vault
        self._registry = registry
        self._policy = policy
        self._keys = keys
        self._clocks = clocks
        self._calls = Calls("refresh", registry)

    def is_possible(self, claim: Claim, further: int = 0) -> bool:
        """Whether the provider may be asked once more, after `further` questions that the claim does not know."""
        return claim.refreshes + further < REFRESHES and self._has_address(claim)

    def fresh(self, claim: Claim) -> Source:
        """The link that the provider gives now, kept as a source of the task.

        Raises Failure: what the provider or its job record says instead, or url_expired for a link that is dead.
        """
        provider = self._registry.find(claim.provider, claim.model)
        deadline = time.monotonic() + REFRESH_SECONDS
        # The address of the job record is the operator's own, so only the deny table applies to it.
        api = replace(self._policy(provider), hosts=())
        try:
            key = self._keys.of_account(provider, claim.provider_account, claim.ready_at)
            link = refresh(provider, key, claim.job_id, claim.output_id, api, deadline, self._given(claim))
        except Failure as failure:
            self._calls.count(claim.provider, failure)
            metrics.REFRESHES.add(outcome="gone" if failure.reason is Reason.JOB_RECORD_GONE else "failed")
            raise Failure(
                failure.reason, {**failure.evidence, "during": "refresh"}, retry_after=failure.retry_after
            ) from None
        self._calls.count(claim.provider)
        metrics.REFRESHES.add(outcome="fresh")
        return self._keep(claim, provider, link)

    def _has_address(self, claim: Claim) -> bool:
        """Whether there is a job record to ask for; one whose address no key opens counts, as that is our own fault."""
        provider = self._registry.find(claim.provider, claim.model)
        entry = provider.refresh
        if entry is None or entry.url:
            return entry is not None
        try:
            return address(provider, entry, claim.job_id, claim.output_id, self._given(claim)) is not None
        except Failure as failure:
            if failure.reason is not Reason.KEYRING:
                raise
            return True

    def _given(self, claim: Claim) -> str | None:
        """The address of the job record that an event gave."""
        names = (claim.account, claim.provider, claim.provider_account, claim.job_id)
        job_key = task_id_from(download_key(*names, PLACEHOLDER))
        row = self._database.one("job_address", job_key=job_key)
        try:
            return self._vault.unseal(job_key, job_key, row["sealed"]) if row else None
        except Unsealable as error:
            raise Failure(Reason.KEYRING, {"detail": str(error)}) from None

    def _keep(self, claim: Claim, provider: Provider, link: FreshLink) -> Source:
        now = self._clocks.of(place_of(link.url).host).earliest()
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
            self._database.run("expired_source", source_id=source_id)
            evidence = {"refresh": "the provider's link had expired"}
            raise Failure(Reason.URL_EXPIRED, evidence, retry_after=again_seconds(claim.refreshes))
        key = self._keys.for_link(provider, claim.provider_account, claim.ready_at, link.url)
        return Source(source_id, link.url, expires_at, life.issued_at, refreshed=True, key=key)


def again_seconds(refreshes: int) -> float:
    """Least seconds to the next question where the link of this one, after so many before, was no good."""
    return AGAIN_SECONDS * 2.0**refreshes
