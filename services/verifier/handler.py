"""The verifier's work on one task: read the staged bytes back, examine them, record the proof, wake the promoter."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import structlog

from services.verifier.checks.expectations import expected_mismatch
from services.verifier.examine import ProbeAway, Prober
from services.verifier.facts import Facts, Verdict
from shared.errors import Failure
from shared.messages import Expected, Kind, ObjectRef
from shared.objects import NotThere, Store
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics
from shared.worker import Lease

log = structlog.get_logger(__name__)

COPY_SUFFIX = ".staged"
"""Ending of the local copies under examination."""
VERIFICATIONS = 2
"""Times that staged bytes may be refused before the task stops."""


@dataclass(frozen=True)
class Verifier:
    """Handles claims of the verify stage."""

    recorder: Recorder
    store: Store
    prober: Prober
    work_dir: Path
    hint: Callable[[Claim, ObjectRef], None]

    def __call__(self, lease: Lease) -> None:
        """Claim -> read back and examine -> record -> announce."""
        claim = lease.claim
        copy = self.work_dir / f"{claim.task_id}-{claim.epoch}{COPY_SUFFIX}"
        try:
            digest = self._read_back(lease, copy)
            verdict = self._examine(claim, copy)
        except NotThere:
            self._lost(claim)
        except OSError as error:
            # A full disk or a folder that is gone says nothing about the file.
            raise Failure(Reason.PROBE, {"detail": f"the work folder: {error.strerror}"}) from error
        except Failure as failure:
            if failure.reason.is_ours:
                raise
            self._refused(claim, failure)
        else:
            lease.check()
            self._proven(claim, digest, verdict)
        finally:
            copy.unlink(missing_ok=True)

    def _read_back(self, lease: Lease, copy: Path) -> str:
        """Bring the staged object into a local file; its digest H2 must equal H1."""
        claim = lease.claim
        digest = sha256()
        bucket, key = claim.staged_bucket or "", claim.staged_key or ""
        with self.store.read(bucket, key, claim.staged_version) as chunks, copy.open("wb") as file:
            for chunk in chunks:
                lease.check()
                digest.update(chunk)
                file.write(chunk)
        copy.chmod(0o644)
        if digest.hexdigest() != claim.h1:
            raise Failure(Reason.STAGING_CORRUPT, {"h1": claim.h1, "h2": digest.hexdigest()})
        return digest.hexdigest()

    def _examine(self, claim: Claim, copy: Path) -> Verdict:
        kind = Kind(claim.promised_kind) if claim.promised_kind else None
        try:
            verdict = self.prober.examine(copy.name, kind)
        except ProbeAway as error:
            raise Failure(Reason.PROBE, {"detail": str(error)}) from None
        if verdict.facts is None:
            evidence = {
                "check": verdict.check,
                "detail": verdict.detail,
                "verifier": verdict.verifier_version,
            }
            raise Failure(verdict.reason or Reason.UNDECODABLE, evidence)
        mismatch = expected_mismatch(verdict.facts, Expected.model_validate(claim.expected))
        if mismatch:
            raise Failure(Reason.EXPECTATION_MISMATCH, {"detail": mismatch, "facts": _plain(verdict.facts)})
        return verdict

    def _proven(self, claim: Claim, digest: str, verdict: Verdict) -> None:
        facts = verdict.facts
        if facts is None:
            raise AssertionError("a verdict without facts was refused before")
        self.recorder.record(
            claim,
            "proven",
            sha256=digest,
            kind=str(facts.kind),
            facts=_plain(facts),
            verifier_version=verdict.verifier_version,
            evidence={"checks": list(facts.checks)},
        )
        log.info("proven", kind=str(facts.kind))
        self.hint(
            claim,
            ObjectRef(
                bucket=claim.staged_bucket or "",
                key=claim.staged_key or "",
                version_id=claim.staged_version,
                size=claim.staged_size or 0,
                sha256=digest,
            ),
        )

    def _refused(self, claim: Claim, failure: Failure) -> None:
        metrics.VERIFICATION_FAILURES.add(reason=str(failure.reason))
        log.warning("refused", reason=str(failure.reason))
        same_again = claim.rejected_sha256 is not None and claim.rejected_sha256 == claim.h1
        if same_again or claim.verifications + 1 >= VERIFICATIONS:
            self.recorder.give_up(claim, failure.reason, failure.evidence)
        else:
            self.recorder.record(claim, "rejected", reason=str(failure.reason), evidence=failure.evidence)

    def _lost(self, claim: Claim) -> None:
        log.error("staging_lost", bucket=claim.staged_bucket, object_key=claim.staged_key)
        if claim.verifications + 1 >= VERIFICATIONS:
            self.recorder.give_up(claim, Reason.STAGING_LOST, {})
        else:
            self.recorder.record(claim, "staging_lost", reason=str(Reason.STAGING_LOST), evidence={})


def _plain(facts: Facts) -> dict[str, Any]:
    return facts.model_dump(mode="json", exclude_none=True)
