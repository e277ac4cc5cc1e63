"""Staged objects: those go whose claim lost or whose task is over, and that for a grace time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from outlast.custody.sweep.ground import PAGE, Fate, Found, Ground, Step, failed, present
from outlast.custody.sweep.pages import pages
from shared.errors import Failure
from shared.keys import StagingKey, read_staging_key
from shared.objects import Listed

OVER = ("superseded", "closed")
"""How an object stands that may go."""
UNOWNED = ("unknown", "no claim")
"""How one stands of which the database knows nothing."""


@dataclass(frozen=True)
class _Staged:
    listed: Listed
    key: StagingKey


def staging(ground: Ground) -> Iterator[Found]:
    """Look at every object of the staging bucket, then delete what may go, and what an earlier sweep left begun."""
    began_at = present(ground.database)
    for page in pages(ground.store.listed(ground.staging_bucket), PAGE):
        old = [listed for listed in page if listed.modified < ground.over_before]
        named = [(listed, read_staging_key(listed.key)) for listed in old]
        yield from (Found(Step.STAGING, Fate.KEPT, one.key, "young", one.size) for one in page if one not in old)
        yield from (_unowned(one, "no staging key") for one, key in named if key is None)
        yield from _judged(ground, [_Staged(one, key) for one, key in named if key is not None], began_at)
    if not ground.dry_run:
        yield from _ended(ground)


def _judged(ground: Ground, staged: list[_Staged], began_at: datetime) -> Iterator[Found]:
    going = []
    rows = ground.database.run("sweep_staging", **_named(ground, staged))
    for one, standing in zip(staged, (row["standing"] for row in rows), strict=True):
        if standing in OVER or (standing == "unknown" and ground.unknown):
            going.append(one)
            if ground.dry_run:
                yield Found(Step.STAGING, Fate.WOULD_GO, one.listed.key, standing, one.listed.size)
        elif standing in UNOWNED:
            yield _unowned(one.listed, standing)
        else:
            yield Found(Step.STAGING, Fate.KEPT, one.listed.key, standing, one.listed.size)
    if going and not ground.dry_run:
        _begin(ground, going, began_at)


def _begin(ground: Ground, going: list[_Staged], began_at: datetime) -> None:
    """Commit what is about to be deleted, judged once more while nobody can move the tasks."""
    held = sorted({one.key.task_id for one in going})
    values = {
        "versions": [one.listed.version_id or "" for one in going],
        "sizes": [one.listed.size for one in going],
        "unknown": ground.unknown,
        "began_at": began_at,
    }
    ground.database.run_all(
        [("hold_tasks", {"task_ids": held}), ("sweeping", {**_named(ground, going), **values})],
    )


def _ended(ground: Ground) -> Iterator[Found]:
    """Delete what was begun, by this sweep or another one; an object that two delete is told by one."""
    after = 0
    while rows := ground.database.run("sweep_begun", bucket=ground.staging_bucket, after=after, limit=PAGE):
        after = rows[-1]["sweep_id"]
        for row in rows:
            try:
                ground.store.delete(row["bucket"], row["key"], row["version_id"] or None)
            except Failure as failure:
                yield failed(Step.STAGING, row["key"], failure)
                continue
            if ground.database.one("swept", sweep_id=row["sweep_id"]):
                yield Found(Step.STAGING, Fate.DELETED, row["key"], row["why"], row["size"])


def _named(ground: Ground, staged: list[_Staged]) -> dict[str, Any]:
    return {
        "bucket": ground.staging_bucket,
        "over_before": ground.over_before,
        "keys": [one.listed.key for one in staged],
        "task_ids": [one.key.task_id for one in staged],
        "epochs": [one.key.epoch for one in staged],
        "lease_ids": [one.key.lease_id for one in staged],
    }


def _unowned(listed: Listed, why: str) -> Found:
    return Found(Step.STAGING, Fate.UNOWNED, listed.key, why, listed.size)
