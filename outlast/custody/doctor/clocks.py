"""The clocks of the store and of the database against that of this machine."""

from collections.abc import Callable
from datetime import UTC, datetime

from outlast.custody.doctor.database import opened
from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import Scene

NOTED_SECONDS = 5.0
REFUSED_SECONDS = 900.0
"""A request that is signed so far from the store's time is refused (Amazon S3, RequestTimeTooSkewed)."""


def clock_of_store(scene: Scene) -> Finding:
    """The store's clock, by the Date of an answer; to a second, as HTTP tells it."""
    store = scene.store
    return _compared("store", lambda: store.ask("HEAD", scene.buckets.staging).date)


def clock_of_database(scene: Scene) -> Finding:
    """The database's clock, by which all services judge links."""
    with opened(scene) as database:
        database.check()

        def told() -> datetime | None:
            row = database.one("now")
            return row["now"] if row else None

        return _compared("database", told)


def _compared(whose: str, ask: Callable[[], datetime | None]) -> Finding:
    before = datetime.now(UTC)
    told = ask()
    if told is None:
        return note(f"The {whose} does not tell its time.", "See that its clock is kept by NTP.")
    middle = before + (datetime.now(UTC) - before) / 2
    away = (told - middle).total_seconds()
    seen = f"The clock of the {whose} is {abs(away):.1f} s {'ahead of' if away > 0 else 'behind'} this machine's."
    if abs(away) >= REFUSED_SECONDS and whose == "store":
        return error(seen, "The store refuses what is signed here, as RequestTimeTooSkewed: set the clock by NTP.")
    if abs(away) >= NOTED_SECONDS:
        return warning(
            seen, "Times in logs do not fit together, and links that are handed out end early or late: use NTP."
        )
    return ok(seen, "Times fit together.")
