"""Stored assets in order of time, read by key in short statements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from shared.db import Database

WINDOW = 500
"""Complete tasks that one statement looks at."""
_FIRST = UUID(int=0)


@dataclass(frozen=True)
class AssetsWanted:
    """Which assets are looked at again: those complete since an instant, of an account, proven under an older policy.

    With `again` also those that the same release has looked at already.
    """

    since: datetime
    account: str | None = None
    policy_below: int | None = None
    again: bool = False


@dataclass(frozen=True)
class StoredAsset:
    """A complete task's asset; it is a Reference. `kind` is what was promised, else what it proved to be."""

    task_id: UUID
    account: str
    completed_at: datetime
    kind: str
    expected: Mapping[str, Any]
    declared_type: str | None
    bucket: str
    key: str
    version_id: str | None
    size: int
    sha256: str


def pages(database: Database, wanted: AssetsWanted, verifier_version: str) -> Iterator[list[StoredAsset]]:
    """The assets that `verifier_version` has to look at, the oldest first, a window at a time; some are empty."""
    at, after = wanted.since, _FIRST
    while True:
        rows = database.run(
            "assets_to_reverify",
            since=wanted.since,
            account=wanted.account,
            policy_below=wanted.policy_below,
            again=wanted.again,
            verifier_version=verifier_version,
            after_at=at,
            after_id=after,
            window=WINDOW,
        )
        yield [_asset(row) for row in rows if row["task_id"] is not None]
        if rows[0]["looked_at"] < WINDOW:
            return
        at, after = rows[0]["reached_at"], rows[0]["reached_id"]


def _asset(row: Mapping[str, Any]) -> StoredAsset:
    return StoredAsset(
        kind=row["promised_kind"] or row["kind"],
        **{name: row[name] for name in StoredAsset.__dataclass_fields__ if name != "kind"},
    )
