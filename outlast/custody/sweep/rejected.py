"""Refused bytes whose time is over."""

from collections.abc import Iterator
from datetime import UTC, datetime

from outlast.custody.refused import Refused, purge
from outlast.custody.sweep.ground import FIRST, PAGE, Fate, Found, Ground, Step, failed
from shared.errors import Failure

BY = "sweeper"
WHY = "its time is over"


def rejected(ground: Ground) -> Iterator[Found]:
    """Purge them as an operator would, those that no task goes on with."""
    at, after, epoch = datetime.min.replace(tzinfo=UTC), FIRST, 0
    place = {"bucket": ground.staging_bucket, "now": ground.now, "limit": PAGE}
    while rows := ground.database.run("sweep_rejected", **place, after_at=at, after_id=after, after_epoch=epoch):
        for row in rows:
            refused = Refused(**{name: row[name] for name in Refused.__dataclass_fields__})
            yield from _purged(ground, refused)
        at, after, epoch = (rows[-1][name] for name in ("keep_until", "task_id", "epoch"))


def _purged(ground: Ground, refused: Refused) -> Iterator[Found]:
    if ground.dry_run:
        yield Found(Step.REJECTED, Fate.WOULD_GO, refused.key, WHY, refused.size)
        return
    try:
        if purge(ground.database, ground.store, refused, by=BY, why=WHY):
            yield Found(Step.REJECTED, Fate.DELETED, refused.key, WHY, refused.size)
    except Failure as failure:
        yield failed(Step.REJECTED, refused.key, failure)
