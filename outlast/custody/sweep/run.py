"""One sweep, from step to step."""

from collections.abc import Iterator

from outlast.custody.sweep.assets import assets
from outlast.custody.sweep.ground import Fate, Found, Ground
from outlast.custody.sweep.rejected import rejected
from outlast.custody.sweep.sources import sources
from outlast.custody.sweep.staging import staging
from outlast.custody.sweep.uploads import uploads

MOST_FAILURES = 100
"""Deletions that the store refuses until a sweep ends."""


def sweep(ground: Ground) -> Iterator[Found]:
    """Delete what may go, and tell everything that is looked at, one after the other.

    Several sweeps may run at once, and each may be killed anywhere: what it began the next one ends. Raises
    Failure where the store or the database is away; what was done until then stays done.
    """
    failures = 0
    for step in (staging, rejected, uploads, sources, assets):
        for found in step(ground):
            yield found
            failures += found.fate is Fate.FAILED
            if failures == MOST_FAILURES:
                return
