"""The downloader's work on one task: open a source, bring its bytes into staging, record it, wake the verifier."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from services.downloader.bandwidth import Bandwidth
from services.downloader.decide import AWAY, DENIED, Situation, Step, decide, healing_seconds
from services.downloader.delays import next_delay
from services.downloader.objects import ObjectOrder, fetch
from services.downloader.reach import is_away
from services.downloader.sources import Source, Sources, again_seconds
from services.downloader.transfer import Limits, Order, Received, transfer
from shared.egress import Policy
from shared.errors import Failure
from shared.keys import staging_key
from shared.messages import ObjectRef
from shared.objects import Store, Upload
from shared.providers import Provider, Registry
from shared.reasons import Next, Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.worker import Lease

log = structlog.get_logger(__name__)

KEYRING_SECONDS = 60.0
"""Time until a task whose sealed link no key opens is tried again."""


@dataclass(frozen=True)
class Downloader:
    """Handles claims of the download stage."""

    recorder: Recorder
    sources: Sources
    registry: Registry
    store: Store
    staging_bucket: str
    max_bytes: int
    limits: Limits
    policy: Callable[[Provider], Policy]
    bandwidth: Bandwidth
    hint: Callable[[Claim, ObjectRef], None]

    def __call__(self, lease: Lease) -> None:
        """Claim -> transfer -> record -> announce."""
        claim = lease.claim
        source: Source | None = None
        try:
            source = self.sources.open(claim)
            key = staging_key(claim.task_id, claim.epoch, claim.lease_id)
            received = self._transfer(lease, source, key)
        except Failure as failure:
            if failure.reason is Reason.KEYRING:
                # Only this task waits for its key; the others need not.
                self.recorder.release(claim, failure.reason, failure.evidence, KEYRING_SECONDS)
            elif failure.reason.is_ours:
                raise
            else:
                if source:
                    lease.saw(away=is_away(failure))
                self._failed(claim, failure, source)
        else:
            lease.saw(away=False)
            lease.check()
            if received.length_proven or received.sha256 == claim.unproven_sha256:
                self._staged(claim, key, received)
            else:
                self._unproven(claim, received)

    def _transfer(self, lease: Lease, source: Source, key: str) -> Received:
        claim = lease.claim
        if source.object is not None:
            return self._copy(lease, source.object, key)
        order = Order(
            url=source.url,
            credential=source.key.headers if source.key else None,
            credential_is_newer=source.key is not None and source.key.is_newer,
            url_expires_at=source.expires_at,
            ready_at=claim.ready_at,
            max_bytes=self.max_bytes,
            declared_size=claim.expected.get("size"),
            declared_sha256=claim.expected.get("sha256"),
            deadline=math.inf,
            clock=self.sources.clock_of(source),
            deleted_at=source.deleted_at,
        )
        return transfer(
            order,
            self._sink(claim, key),
            self.policy(self.registry.find(claim.provider)),
            self.limits,
            progress=lambda _: lease.check(),
            seconds_to_stop=lease.seconds_to_stop,
            bandwidth=self.bandwidth,
        )

    def _copy(self, lease: Lease, told: Mapping[str, str], key: str) -> Received:
        promised = lease.claim.expected
        return fetch(
            ObjectOrder(told, self.max_bytes, promised.get("size"), promised.get("sha256")),
            self.store,
            self._sink(lease.claim, key),
            progress=lease.check,
            seconds_to_stop=lease.seconds_to_stop,
        )

    def _sink(self, claim: Claim, key: str) -> Upload:
        return self.store.upload(
            self.staging_bucket,
            key,
            begun=lambda upload_id: self.recorder.note(claim, "uploading", key=key, upload_id=upload_id),
        )

    def _staged(self, claim: Claim, key: str, received: Received) -> None:
        self.recorder.record(
            claim,
            "staged",
            bucket=self.staging_bucket,
            key=key,
            version_id=received.upload.version_id,
            etag=received.upload.etag,
            size=received.size,
            sha256=received.sha256,
            evidence=received.evidence,
        )
        metrics.DOWNLOADED_BYTES.add(received.size)
        log.info("staged", size=received.size)
        upload = received.upload
        self.hint(
            claim,
            ObjectRef(
                bucket=self.staging_bucket,
                key=key,
                version_id=upload.version_id,
                size=received.size,
                sha256=received.sha256,
            ),
        )

    def _unproven(self, claim: Claim, received: Received) -> None:
        """Nothing says that the body was whole: only a second one with the same digest does."""
        reason = Reason.LENGTH_UNPROVEN
        if claim.unproven_sha256 is not None:
            self.recorder.give_up(claim, reason, received.evidence)
            return
        log.info("transfer_again", reason=str(reason))
        metrics.TRANSFER_RETRIES.add(reason=str(reason))
        self.recorder.record(claim, "unproven", sha256=received.sha256, reason=str(reason), evidence=received.evidence)

    def _failed(self, claim: Claim, failure: Failure, source: Source | None) -> None:
        delay = self._delay(claim, failure, source)
        step = self._step(claim, failure, source, delay)
        if failure.reason is Reason.URL_EXPIRED:
            (metrics.EXPIRED_ANSWERS if source else metrics.EXPIRED_UNASKED).add()
        if source and step is Step.RETRY_ELSEWHERE:
            self.sources.mark_ended(source.source_id)
            # A provider whose fresh link failed may give the same one again: it is asked after a while only.
            delay = max(delay or 0.0, again_seconds(claim.refreshes)) if source.refreshed else 0.0
        if step in (Step.RETRY, Step.RETRY_ELSEWHERE):
            self._again(claim, failure, 1.0 if delay is None else delay)
        else:
            now = self.sources.clock_of(source).now()
            end = source.end(now) if source else None
            has_ended = end is not None and end <= now
            self._stop(claim, failure, _final_reason(claim, failure, source, delay, has_ended=has_ended), step)

    def _step(self, claim: Claim, failure: Failure, source: Source | None, delay: float | None) -> Step:
        refreshes = claim.refreshes + (1 if source and source.refreshed else 0)
        # Where the refresh itself found the provider away, it is no other way.
        can_help = not (refreshes and failure.reason in DENIED) and (source is not None or failure.reason not in AWAY)
        clock = self.sources.clock_of(source)
        return decide(
            Situation(
                reason=failure.reason,
                tries=claim.tries,
                refreshes=refreshes,
                seconds_since_ready=clock.seconds_since(claim.ready_at),
                delay=delay,
                life_known=(source.end(clock.now()) if source else claim.deadline) is not None,
                elsewhere=self.sources.elsewhere(claim, source, by_refresh=can_help),
            )
        )

    def _again(self, claim: Claim, failure: Failure, delay: float) -> None:
        metrics.TRANSFER_RETRIES.add(reason=str(failure.reason))
        log.info("transfer_again", reason=str(failure.reason), delay=round(delay, 2))
        charge = 0 if failure.reason is Reason.CREDENTIAL_MISSING else 1
        self.recorder.retry(claim, failure.reason, failure.evidence, delay, tries=charge)

    def _delay(self, claim: Claim, failure: Failure, source: Source | None) -> float | None:
        clock = self.sources.clock_of(source)
        expires = source.end(clock.now()) if source else claim.deadline
        issued = (source.issued_at if source else None) or claim.ready_at
        return next_delay(
            claim.tries,
            life=(expires - issued).total_seconds() if expires else None,
            remaining=(expires - clock.now()).total_seconds() if expires else None,
            wish=max(
                failure.retry_after or 0.0,
                healing_seconds(failure.reason, claim.tries, clock.seconds_since(claim.ready_at)),
            ),
            random=random.random,
        )

    def _stop(self, claim: Claim, failure: Failure, reason: Reason, step: Step) -> None:
        abandoned = step is Step.ABANDON
        reason = failure.reason if abandoned else reason
        evidence = {**failure.evidence, "last": str(failure.reason)}
        log.warning("gave_up", reason=str(reason), last=str(failure.reason))
        self.recorder.give_up(claim, reason, evidence, abandoned=abandoned)


def _final_reason(
    claim: Claim, failure: Failure, source: Source | None, delay: float | None, *, has_ended: bool
) -> Reason:
    """What a person must hear: bytes that were refused, or what the last source did, before "no link is left"."""
    if claim.rejected_reason:
        return Reason(claim.rejected_reason)
    if claim.unproven_sha256:
        return Reason.LENGTH_UNPROVEN
    if source is None and failure.reason is Reason.URL_EXPIRED and claim.last_reason:
        return Reason(claim.last_reason)
    if failure.reason.rule.next is not Next.RETRY or failure.reason is Reason.CREDENTIAL_MISSING or delay is not None:
        return failure.reason
    return Reason.URL_EXPIRED if has_ended else Reason.DEADLINE_MISSED
