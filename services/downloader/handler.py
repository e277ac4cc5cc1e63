"""The downloader's work on one task: open a source, bring its bytes into staging, record it, wake the verifier."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from services.downloader.aftermath import Aftermath
from services.downloader.bandwidth import Bandwidth
from services.downloader.objects import ObjectOrder, fetch
from services.downloader.order import LINK
from services.downloader.reach import is_away
from services.downloader.source import Source
from services.downloader.sources import Sources
from services.downloader.transfer import Limits, Order, Received, transfer
from shared.egress import Policy
from shared.errors import Failure
from shared.keys import staging_key
from shared.messages import Kind, ObjectRef
from shared.objects import Store, Upload
from shared.providers import Provider, Registry
from shared.reasons import Reason
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
    aftermath: Aftermath
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
                self.aftermath.settle(claim, failure, source)
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
            endpoint=source.endpoint or LINK,
            takes_text=claim.promised_kind in (Kind.TEXT, Kind.OTHER),
        )
        return transfer(
            order,
            self._sink(claim, key),
            source.within(self.policy(self.registry.find(claim.provider, claim.model))),
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
            declared_type=received.declared_type,
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
