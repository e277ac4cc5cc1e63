"""Claims: which task a worker holds, under which token, and how it takes, keeps and gives back its lease."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from shared.db.database import Database
from shared.lanes import NOTHING, Barred
from shared.states import Stage, State

URGENT_SECONDS = 300.0
"""A reserved slot takes only tasks with less than this left."""
LATE_TURN = 4
"""Each so many claims of downloads begin with those past their time, so that these are not starved."""


@dataclass(frozen=True, eq=False)
class Claim:
    """One leased run of one stage: the fencing token (`lease_id`, `epoch`) and what the row says of the work."""

    task_id: UUID
    lease_id: UUID
    epoch: int
    state: State
    stage: Stage
    lane: str
    account: str
    provider: str
    provider_account: str
    job_id: str
    output_id: str
    operation_id: str
    attempt_id: str
    variant: str | None
    display_name: str | None
    promised_kind: str | None
    expected: dict[str, Any]
    traceparent: str | None
    tries: int
    refreshes: int
    verifications: int
    placements: int
    strikes: int
    ready_at: datetime
    url_expires_at: datetime | None
    deadline: datetime | None
    sources_added: int
    last_reason: str | None
    staged_bucket: str | None
    staged_key: str | None
    staged_version: str | None
    staged_etag: str | None
    staged_size: int | None
    h1: str | None
    unproven_sha256: str | None
    rejected_sha256: str | None
    rejected_reason: str | None
    h2: str | None
    kind: str | None
    facts: dict[str, Any] | None
    verifier_version: str | None
    durable_uri: str | None
    size: int | None
    h3: str | None
    model: str | None = None
    declared_type: str | None = None
    flags: Sequence[str] = ()

    @property
    def token(self) -> dict[str, Any]:
        """What every record is guarded by: task, state, lease and epoch."""
        return {
            "task_id": self.task_id,
            "from_state": str(self.state),
            "lease_id": self.lease_id,
            "epoch": self.epoch,
        }


class Claims:
    """Takes and keeps the leases of one stage for one process."""

    def __init__(self, database: Database, stage: Stage, worker: str, lease_seconds: float) -> None:
        self._database = database
        self._stage = stage
        self._worker = worker
        self._lease_seconds = lease_seconds
        self._turn = 0

    def take(self, barred: Barred = NOTHING, *, urgent_only: bool = False) -> Claim | None:
        """Lease the most urgent claimable task that is not barred; None if there is none.

        Of downloads, those past their time come last, but for a turn of theirs now and then.
        """
        if self._stage is not Stage.DOWNLOAD:
            return self._take(barred, late=True, within=None)
        in_time = partial(self._take, barred, late=False, within=URGENT_SECONDS if urgent_only else None)
        past = partial(self._take, barred, late=True, within=0.0)
        self._turn = (self._turn + 1) % LATE_TURN
        return (past() or in_time()) if self._turn == 0 and not urgent_only else (in_time() or past())

    def _take(self, barred: Barred, *, late: bool, within: float | None) -> Claim | None:
        """A task of an account that is not crowded, else any."""
        beside = self._lease(barred, late=late, within=within) if barred.crowded else None
        return beside or self._lease(replace(barred, crowded=()), late=late, within=within)

    def _lease(self, barred: Barred, *, late: bool, within: float | None) -> Claim | None:
        row = self._database.one(
            "claim",
            stage=str(self._stage),
            worker=self._worker,
            lease_id=uuid4(),
            lease_seconds=self._lease_seconds,
            lanes=list(barred.lanes),
            providers=list(barred.providers),
            crowded=list(barred.crowded),
            crowded_there=list(barred.crowded_there),
            late=late,
            within_seconds=within,
        )
        return Claim(**{**row, "state": State(row["state"]), "stage": Stage(row["stage"])}) if row else None

    def renew(self, held: Sequence[Claim]) -> frozenset[UUID]:
        """Lengthen the leases; returns the lease ids that are still ours."""
        if not held:
            return frozenset()
        rows = self._database.run(
            "renew",
            lease_seconds=self._lease_seconds,
            task_ids=[claim.task_id for claim in held],
            lease_ids=[claim.lease_id for claim in held],
        )
        return frozenset(row["lease_id"] for row in rows)

    def wake(self) -> int:
        """Make due retries claimable and end lapsed leases; returns how many rows became claimable."""
        return len(self._database.run("wake", stage=str(self._stage)))
