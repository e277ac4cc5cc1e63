"""The record of what became of a claim: fenced, safe against a lost COMMIT, patient with the database."""

from collections.abc import Mapping
from threading import Event
from typing import Any

from shared.db.database import Database
from shared.errors import Failure, LeaseLost
from shared.reasons import Reason
from shared.redaction import redact
from shared.tasks.claims import Claim

AGAIN_SECONDS = 1.0
"""Pause between two tries while the database is away."""


class Recorder:
    """Runs acts under a claim's token."""

    def __init__(self, database: Database, stopped: Event) -> None:
        """`stopped` ends the patience with a database that is away."""
        self._database = database
        self._stopped = stopped

    def record(self, claim: Claim, act: str, **values: Any) -> Mapping[str, Any]:
        """Run an act guarded by the claim's token and return its row.

        While the database is away this waits and tries again, as the token alone says whether the
        record may still be made. Raises LeaseLost when the token is no longer the row's, and
        Failure(Reason.DATABASE) when the process stops first.
        """
        if "evidence" in values:
            values["evidence"] = redact(values["evidence"])
        doubtful = False
        while True:
            try:
                row = self._database.one(act, **claim.token, **values)
                if row is not None or (doubtful and self._happened(claim, act)):
                    return row or {}
                raise LeaseLost(act)
            except Failure:
                doubtful = True
                if self._stopped.wait(AGAIN_SECONDS):
                    raise

    def note(self, claim: Claim, act: str, **values: Any) -> None:
        """Run an act that only adds what is known of a running claim: once, as the work goes on without it.

        Raises LeaseLost when the token is no longer the row's, and Failure while the database is away.
        """
        if self._database.one(act, **claim.token, **values) is None:
            raise LeaseLost(act)

    def _happened(self, claim: Claim, act: str) -> bool:
        """Whether our own act was committed though its answer was lost."""
        row = self._database.one("claim_outcome", lease_id=claim.lease_id)
        return row is not None and row["last_act"] == act

    def retry(self, claim: Claim, reason: Reason, evidence: Mapping[str, Any], delay: float, *, tries: int) -> None:
        """End a transfer that failed; the next is due after `delay` seconds, charged with `tries`.

        Nothing is charged where another source came meanwhile.
        """
        self.record(
            claim,
            "retry",
            reason=str(reason),
            evidence=evidence,
            delay_seconds=delay,
            tries=tries,
            sources_added=claim.sources_added,
        )

    def give_up(self, claim: Claim, reason: Reason, evidence: Mapping[str, Any], *, abandoned: bool = False) -> None:
        """Stop the task with its reason."""
        state = "abandoned" if abandoned else "needs_attention"
        self.record(
            claim,
            "give_up",
            to_state=state,
            reason=str(reason),
            evidence=evidence,
            sources_added=claim.sources_added,
        )

    def release(self, claim: Claim, reason: Reason | None, evidence: Mapping[str, Any], delay: float = 0.0) -> None:
        """Give the lease back, charging nothing."""
        name = str(reason) if reason else None
        self.record(claim, "release", reason=name, evidence=evidence, delay_seconds=delay)
