"""The headline figures, read by one bounded query."""

from shared.db.database import Database
from shared.telemetry.headline import HeadlineFigures


def read_headline(database: Database) -> HeadlineFigures:
    """Outputs waiting, age of the oldest, shortest life seen, and the invariant that must be 0."""
    row = database.glance("headline")
    if row is None:
        raise AssertionError("the headline query always has one row")
    return HeadlineFigures(
        outputs_waiting=row["outputs_waiting"],
        oldest_ready_seconds=row["oldest_ready_seconds"] or 0.0,
        shortest_life_seconds=row["shortest_life_seconds"],
        tasks_by_state=row["tasks_by_state"],
        complete_without_uri=row["complete_without_uri"],
    )
