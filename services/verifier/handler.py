"""The verifier's work on one task: read the staged bytes back, examine them, record the proof, wake the promoter."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from services.verifier.checks.declared import with_declared
from services.verifier.checks.expectations import expected_mismatch
from services.verifier.endings import Endings, Proof, facts_of, plain
from services.verifier.examine import ProbeAway, Prober
from services.verifier.facts import Verdict
from services.verifier.hooks import Hook, Subject, ask
from services.verifier.room import Room
from shared.errors import Failure
from shared.messages import Expected, Kind
from shared.objects import NotThere, Store
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.worker import Lease

COPY_SUFFIX = ".staged"
"""Ending of the local copies under examination."""


@dataclass(frozen=True)
class Verifier:
    """Handles claims of the verify stage."""

    store: Store
    prober: Prober
    work_dir: Path
    room: Room
    endings: Endings
    hooks: Sequence[Hook] = ()

    def __call__(self, lease: Lease) -> None:
        """Wait for room on the disk, then verify."""
        with self.room.taken(lease.claim.staged_size or 0, lease.check):
            self._verify(lease)

    def _verify(self, lease: Lease) -> None:
        """Claim -> read back, examine, ask the hooks -> record -> announce."""
        claim = lease.claim
        copy = self.work_dir / f"{claim.task_id}-{claim.epoch}{COPY_SUFFIX}"
        try:
            digest = self._read_back(lease, copy)
            verdict = self._examine(claim, copy)
            opinion = ask(self.hooks, self._subject(lease, copy, digest, verdict))
        except NotThere:
            self.endings.lost(claim)
        except OSError as error:
            # A full disk or a folder that is gone says nothing about the file.
            raise Failure(Reason.PROBE, {"detail": f"the work folder: {error.strerror}"}) from error
        except Failure as failure:
            if failure.reason.is_ours:
                raise
            self.endings.refused(claim, failure)
        else:
            lease.check()
            self.endings.accepted(claim, Proof(digest, verdict, opinion))
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
                "peak_bytes": verdict.peak_bytes,
            }
            raise Failure(verdict.reason or Reason.UNDECODABLE, evidence)
        facts = with_declared(verdict.facts, claim.declared_type)
        mismatch = expected_mismatch(facts, Expected.model_validate(claim.expected))
        if mismatch:
            raise Failure(Reason.EXPECTATION_MISMATCH, {"detail": mismatch, "facts": plain(facts)})
        return verdict.model_copy(update={"facts": facts})

    def _subject(self, lease: Lease, copy: Path, digest: str, verdict: Verdict) -> Subject:
        return Subject(lease.claim, copy, digest, facts_of(verdict), lambda: _is_over(lease))


def _is_over(lease: Lease) -> bool:
    """Whether nobody waits for this work any more: the lease is gone, or so is the time after SIGTERM."""
    seconds_left = lease.seconds_to_stop()
    return lease.lost.is_set() or (seconds_left is not None and seconds_left <= 0)
