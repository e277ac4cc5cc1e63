"""The promoter's work on one task: place the proven bytes at their durable key, prove the copy, complete the task."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from services.promoter.placement import Placed, Placement, place
from shared.errors import Failure, LeaseLost
from shared.keys import durable_key
from shared.objects import Store
from shared.reasons import Reason
from shared.states import State
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.worker import Lease

log = structlog.get_logger(__name__)

PLACEMENTS = 3
"""Times that a copy may read back wrong before the task stops."""
AGAIN_SECONDS = 2.0


@dataclass(frozen=True)
class Promoter:
    """Handles claims of the promote stage."""

    recorder: Recorder
    store: Store
    assets_bucket: str
    conditioned: bool = False
    """Whether the store was seen to heed a condition on a copy."""

    def __call__(self, lease: Lease) -> None:
        """Claim -> place -> stored -> complete; the announcement is an outbox on the row."""
        claim = lease.claim
        try:
            if claim.state is not State.STORED:
                key = self._intend(claim)
                placed = place(self.store, self._placement(claim, key))
                lease.check()
                claim = self._stored(claim, placed)
        except Failure as failure:
            if failure.reason.is_ours:
                raise
            self._failed(claim, failure)
        else:
            self._complete(claim)

    def _intend(self, claim: Claim) -> str:
        """Commit the key before a byte is copied; another task's key is left alone."""
        for output_id in (claim.output_id, f"{claim.output_id}.{claim.task_id.hex}"):
            key = self._key(claim, output_id)
            row = self.recorder.record(
                claim,
                "placing",
                bucket=self.assets_bucket,
                key=key,
                kind=claim.kind,
                content_type=_facts(claim)["content_type"],
                size=claim.staged_size,
                sha256=claim.h2,
                facts=_facts(claim),
            )
            if not row["held"]:
                raise LeaseLost("placing")
            if row["other_owner"] is None:
                return key
        raise Failure(Reason.KEY_CONFLICT, {"object": key, "owner": str(row["other_owner"])})

    def _key(self, claim: Claim, output_id: str) -> str:
        return durable_key(
            kind=claim.kind or "",
            account=claim.account,
            operation_id=claim.operation_id,
            attempt_id=claim.attempt_id,
            output_id=output_id,
            sha256=claim.h2 or "",
            extension=str(_facts(claim)["extension"]),
        )

    def _placement(self, claim: Claim, key: str) -> Placement:
        facts = _facts(claim)
        return Placement(
            source=(claim.staged_bucket or "", claim.staged_key or "", claim.staged_version),
            bucket=self.assets_bucket,
            key=key,
            size=claim.staged_size or 0,
            sha256=claim.h2 or "",
            content_type=str(facts["content_type"]),
            metadata={
                "sha256": claim.h2 or "",
                "task-id": str(claim.task_id),
                "kind": claim.kind or "",
                "verifier-version": claim.verifier_version or "",
                **({"display-name": claim.display_name} if claim.display_name else {}),
            },
            facts={
                "task_id": str(claim.task_id),
                "account": claim.account,
                "provider": claim.provider,
                "job_id": claim.job_id,
                "output_id": claim.output_id,
                "operation_id": claim.operation_id,
                "attempt_id": claim.attempt_id,
                "display_name": claim.display_name,
                "size": claim.staged_size,
                "sha256": claim.h2,
                "verifier_version": claim.verifier_version,
                "media": facts,
                "flags": list(claim.flags),
            },
            # A version pins the bytes by itself.
            if_match=claim.staged_etag if self.conditioned and not claim.staged_version else None,
        )

    def _stored(self, claim: Claim, placed: Placed) -> Claim:
        self.recorder.record(
            claim,
            "stored",
            uri=f"s3://{placed.bucket}/{placed.key}",
            size=placed.size,
            sha256=placed.sha256,
            version_id=placed.version_id,
            etag=placed.etag,
        )
        metrics.STORED_BYTES.add(placed.size)
        metrics.READY_TO_STORED.observe(max(0.0, (datetime.now(UTC) - claim.ready_at).total_seconds()))
        return replace(claim, state=State.STORED)

    def _complete(self, claim: Claim) -> None:
        self.recorder.record(claim, "complete", evidence={})
        log.info("complete")

    def _failed(self, claim: Claim, failure: Failure) -> None:
        log.warning("placing_failed", reason=str(failure.reason))
        if failure.reason is Reason.STAGING_LOST and claim.verifications == 0:
            self.recorder.record(claim, "staging_lost", reason=str(failure.reason), evidence=failure.evidence)
        elif failure.reason is Reason.COPY_MISMATCH and claim.placements + 1 < PLACEMENTS:
            self.recorder.record(
                claim,
                "place_again",
                reason=str(failure.reason),
                evidence=failure.evidence,
                delay_seconds=AGAIN_SECONDS,
            )
        else:
            self.recorder.give_up(claim, failure.reason, failure.evidence)


def _facts(claim: Claim) -> dict[str, Any]:
    if claim.facts is None:
        raise AssertionError("the schema lets no task be promoted without facts")
    return claim.facts
