"""The downloader's work on one task: open a source, bring its bytes into staging, record it, wake the verifier."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import structlog

from services.downloader.decide import Situation, Step, decide
from services.downloader.delays import next_delay
from services.downloader.sources import Source, Sources
from services.downloader.transfer import Limits, Order, Received, transfer
from shared.egress import Policy
from shared.errors import Failure
from shared.keys import staging_key
from shared.messages import ObjectRef
from shared.objects import Store
from shared.providers import Provider, Registry
from shared.reasons import Next, Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.worker import Lease

log = structlog.get_logger(__name__)


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
            if failure.reason.is_ours:
                raise
            self._failed(claim, failure, source)
        else:
            lease.check()
            self._staged(claim, key, received)

    def _transfer(self, lease: Lease, source: Source, key: str) -> Received:
        claim = lease.claim
        order = Order(
            url=source.url,
            credential=None,
            url_expires_at=source.expires_at,
            ready_at=claim.ready_at,
            max_bytes=self.max_bytes,
            declared_size=claim.expected.get("size"),
            declared_sha256=claim.expected.get("sha256"),
            deadline=time.monotonic() + self.limits.total_seconds,
        )
        return transfer(
            order,
            self.store.upload(self.staging_bucket, key),
            self.policy(self.registry.find(claim.provider)),
            self.limits,
            progress=lambda _: lease.check(),
            stopping=lambda: lease.seconds_to_stop() is not None,
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

    def _failed(self, claim: Claim, failure: Failure, source: Source | None) -> None:
        spent = source.source_id if source else None
        step = decide(
            Situation(
                reason=failure.reason,
                tries=claim.tries,
                refreshes=claim.refreshes,
                seconds_since_ready=(datetime.now(UTC) - claim.ready_at).total_seconds(),
                delay=self._delay(claim, failure, source),
                elsewhere=self.sources.elsewhere(claim, spent),
            )
        )
        if failure.reason is Reason.URL_EXPIRED:
            metrics.EXPIRED_ANSWERS.add()
        if spent and (step is Step.RETRY_ELSEWHERE or failure.reason.rule.next is Next.REFRESH):
            self._end_source(spent, step)
        if step in (Step.STOP, Step.ABANDON):
            self._stop(claim, failure, step, spent)
            return
        delay = 0.0 if step is Step.RETRY_ELSEWHERE and spent else self._delay(claim, failure, source) or 1.0
        metrics.TRANSFER_RETRIES.add(reason=str(failure.reason))
        log.info("transfer_again", reason=str(failure.reason), delay=round(delay, 2))
        self.recorder.retry(claim, failure.reason, failure.evidence, delay, tries=1)

    def _end_source(self, spent: UUID, step: Step) -> None:
        if step is not Step.RETRY:
            self.sources.mark_ended(spent)

    def _delay(self, claim: Claim, failure: Failure, source: Source | None) -> float | None:
        now = datetime.now(UTC)
        expires = source.expires_at if source else claim.deadline
        issued = (source.issued_at if source else None) or claim.ready_at
        return next_delay(
            claim.tries,
            life=(expires - issued).total_seconds() if expires else None,
            remaining=(expires - now).total_seconds() if expires else None,
            retry_after=failure.retry_after,
            random=random.random,
        )

    def _stop(self, claim: Claim, failure: Failure, step: Step, spent: UUID | None) -> None:
        reason = failure.reason if step is Step.ABANDON else _final_reason(claim, failure, spent)
        evidence = {**failure.evidence, "last": str(failure.reason)}
        log.warning("gave_up", reason=str(reason), last=str(failure.reason))
        self.recorder.give_up(claim, reason, evidence, abandoned=step is Step.ABANDON)


def _final_reason(claim: Claim, failure: Failure, spent: UUID | None) -> Reason:
    """What a person must hear: bytes that were refused, or what the last source did, before "no link is left"."""
    if claim.rejected_reason:
        return Reason(claim.rejected_reason)
    if spent is None and failure.reason is Reason.URL_EXPIRED and claim.last_reason:
        return Reason(claim.last_reason)
    return failure.reason
