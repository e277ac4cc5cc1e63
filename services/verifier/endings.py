"""What becomes of examined bytes: proven, held for a person, refused, or no longer there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from services.verifier.facts import Facts, Verdict
from services.verifier.hooks import Opinion
from shared.errors import Failure
from shared.messages import ObjectRef
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics

log = structlog.get_logger(__name__)

VERIFICATIONS = 2
"""Times that staged bytes may be refused before the task stops."""
FINAL = frozenset({Reason.REVIEW_REJECTED})
"""Reasons that no other transfer changes."""


@dataclass(frozen=True)
class Proof:
    """The outcome of a whole examination: H2 in hex, the probe's verdict, and what the hooks say."""

    digest: str
    verdict: Verdict
    opinion: Opinion


@dataclass(frozen=True)
class Endings:
    """Records what became of a claim of the verify stage.

    Refused bytes are kept for `keep_seconds`; `hint` wakes the promoter.
    """

    recorder: Recorder
    keep_seconds: float
    hint: Callable[[Claim, ObjectRef], None]

    def accepted(self, claim: Claim, proof: Proof) -> None:
        """The bytes are proven: they go on to the promoter, unless a hook holds them."""
        if proof.opinion.hold:
            reason = Reason.HELD_FOR_REVIEW
            self.recorder.record(claim, "held", reason=str(reason), **_values(proof))
            log.warning("held", reason=str(reason), flags=list(proof.opinion.flags))
        else:
            self.recorder.record(claim, "proven", **_values(proof))
            log.info("proven", kind=str(facts_of(proof.verdict).kind))
            self.hint(claim, _reference(claim, proof.digest))

    def refused(self, claim: Claim, failure: Failure) -> None:
        """The bytes are not the real thing: one more transfer, or the end where that would change nothing."""
        reason = failure.reason
        metrics.VERIFICATION_FAILURES.add(reason=str(reason))
        # Bytes that changed in our own store are no fault of their source.
        tell = log.error if reason is Reason.STAGING_CORRUPT else log.warning
        tell("refused", reason=str(reason), bucket=claim.staged_bucket, object_key=claim.staged_key)
        same_again = claim.rejected_sha256 is not None and claim.rejected_sha256 == claim.h1
        is_last = same_again or claim.verifications + 1 >= VERIFICATIONS or reason in FINAL
        self.recorder.record(
            claim,
            "refused" if is_last else "rejected",
            reason=str(reason),
            evidence=failure.evidence,
            keep_seconds=self.keep_seconds,
        )

    def lost(self, claim: Claim) -> None:
        """The staged object is gone: one more transfer, once."""
        metrics.VERIFICATION_FAILURES.add(reason=str(Reason.STAGING_LOST))
        log.error("staging_lost", bucket=claim.staged_bucket, object_key=claim.staged_key)
        if claim.verifications + 1 >= VERIFICATIONS:
            self.recorder.give_up(claim, Reason.STAGING_LOST, {})
        else:
            self.recorder.record(claim, "staging_lost", reason=str(Reason.STAGING_LOST), evidence={})


def facts_of(verdict: Verdict) -> Facts:
    """The facts of a verdict that accepted."""
    if verdict.facts is None:
        raise AssertionError("a verdict without facts was refused before")
    return verdict.facts


def plain(facts: Facts) -> dict[str, Any]:
    """Facts as the row holds them."""
    return facts.model_dump(mode="json", exclude_none=True)


def _values(proof: Proof) -> dict[str, Any]:
    facts, verdict = facts_of(proof.verdict), proof.verdict
    return {
        "sha256": proof.digest,
        "kind": str(facts.kind),
        "facts": plain(facts),
        "verifier_version": verdict.verifier_version,
        "flags": list(proof.opinion.flags),
        "evidence": {"checks": list(facts.checks), "peak_bytes": verdict.peak_bytes, **proof.opinion.evidence},
    }


def _reference(claim: Claim, digest: str) -> ObjectRef:
    return ObjectRef(
        bucket=claim.staged_bucket or "",
        key=claim.staged_key or "",
        version_id=claim.staged_version,
        size=claim.staged_size or 0,
        sha256=digest,
    )
