"""Refused bytes and re-verified assets, as their readers see them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database

WINDOW = 10_000
"""Rows that one page looks at."""
MOST_OF_A_TASK = 100

_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class SeenRejected(BaseModel):
    """Bytes that were refused: kept until `keep_until`, unless `purged_at` says that they are deleted.

    `epoch` is the claim that refused them last, `size` bytes, `in_use` says that their task was sent on with them.
    """

    model_config = ConfigDict(frozen=True)

    task_id: UUID
    epoch: int
    account: str
    provider: str
    job_id: str
    output_id: str
    size: int
    sha256: str
    reason: str
    rejected_at: datetime
    keep_until: datetime
    purged_at: datetime | None
    purged_by: str | None
    why: str | None
    in_use: bool


class SeenReverification(BaseModel):
    """What the checks of `verifier_version` said of a stored asset: `same`, `refused`, `corrupt` or `lost`."""

    model_config = ConfigDict(frozen=True)

    verifier_version: str
    verdict: str
    reason: str | None
    detail: str
    checked_at: datetime


@dataclass(frozen=True)
class RejectedWanted:
    """Which refused bytes a person asks for; None asks for all. With `purged` also those that are deleted."""

    account: str | None = None
    reason: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    purged: bool = False


@dataclass(frozen=True)
class RejectedPage:
    """Some refused bytes, newest first; `end` is the instant before which the next page begins, None after the last."""

    rows: tuple[SeenRejected, ...]
    end: datetime | None


def read_rejected(database: Database, wanted: RejectedWanted, limit: int) -> RejectedPage:
    """At most `limit` refused bytes; a page ends early, and may be empty, where many that do not match lie between."""
    rows = database.run(
        "rejected_newest",
        account=wanted.account,
        reason=wanted.reason,
        since=wanted.since or _EARLIEST,
        before=wanted.before or _LATEST,
        purged=wanted.purged,
        window=WINDOW,
        limit=limit,
    )
    found = tuple(SeenRejected.model_validate(row) for row in rows if row["task_id"] is not None)
    if len(found) == limit:
        return RejectedPage(found, found[-1].rejected_at)
    return RejectedPage(found, rows[0]["reached_at"] if rows[0]["looked_at"] == WINDOW else None)


def rejected_of_task(database: Database, task_id: UUID) -> tuple[SeenRejected, ...]:
    """The refused bytes of one task, oldest first."""
    rows = database.run("rejected_of_task", task_id=task_id, limit=MOST_OF_A_TASK)
    return tuple(SeenRejected.model_validate(row) for row in rows)


def reverifications_of_task(database: Database, task_id: UUID) -> tuple[SeenReverification, ...]:
    """What was found when the task's asset was looked at again, oldest first."""
    rows = database.run("reverifications_of_task", task_id=task_id, limit=MOST_OF_A_TASK)
    return tuple(SeenReverification.model_validate(row) for row in rows)
