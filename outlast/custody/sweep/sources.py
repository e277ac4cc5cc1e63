"""Sources, sealed links among them, that nobody will use again."""

from collections.abc import Iterator
from datetime import timedelta

from outlast.custody.sweep.ground import FIRST, PAGE, Fate, Found, Ground, Step

DEAD = timedelta(days=7)
"""How long after its expiry a source stays."""


def sources(ground: Ground) -> Iterator[Found]:
    """Delete those of tasks that are over for the grace time, and those that are dead for `DEAD`."""
    after, rule = FIRST, {"over_before": ground.over_before, "dead_before": ground.now - DEAD, "limit": PAGE}
    while True:
        rows = ground.database.run("sweep_sources", after=after, **rule)
        dead = [row for row in rows if row["source_id"] is not None]
        if ground.dry_run:
            yield from (_found(Fate.WOULD_GO, str(row["task_id"])) for row in dead)
        elif dead:
            gone = ground.database.run("forget_sources", source_ids=[row["source_id"] for row in dead])
            yield from (_found(Fate.DELETED, str(row["task_id"])) for row in gone)
        if rows[0]["looked_at"] < PAGE:
            return
        after = rows[0]["reached"]


def _found(fate: Fate, task_id: str) -> Found:
    return Found(Step.SOURCES, fate, task_id, "its time is over")
