"""The headline figures, read by one bounded query."""

from collections.abc import Callable
from datetime import UTC, datetime

from shared.db.database import Database
from shared.telemetry.headline import HeadlineFigures


def read_headline(database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> HeadlineFigures:
    """What waits, how old it is, what is at risk, how long links live, and the invariant that must be 0.

    `clock` is this machine's own, which is compared with the database's.
    """
    before = clock()
    row = database.glance("headline")
    if row is None:
        raise AssertionError("the headline query always has one row")
    lives = row["lives"]
    return HeadlineFigures(
        outputs_waiting=row["outputs_waiting"],
        oldest_ready_seconds=row["oldest_ready_seconds"] or 0.0,
        tasks_at_risk=row["tasks_at_risk"],
        shortest_lives={provider: shortest for provider, (shortest, _) in lives.items()},
        usual_lives={provider: usual for provider, (_, usual) in lives.items() if usual is not None},
        tasks_by_state=row["tasks_by_state"],
        complete_without_uri=row["complete_without_uri"],
        clock_offset_seconds=_offset(row["now"], before, clock()),
    )


def _offset(told: datetime, before: datetime, after: datetime) -> float:
    """How far a time lies outside of the two between which it was told, in seconds; negative if it lies before."""
    return max((told - after).total_seconds(), 0.0) + min((told - before).total_seconds(), 0.0)
