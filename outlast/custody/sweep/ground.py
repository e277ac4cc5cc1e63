"""What a sweep works on and under which rule, and what it finds there."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from shared.db import Database
from shared.errors import Failure
from shared.objects import Store
from shared.reasons import Reason

PAGE = 200
"""Rows or objects that one statement looks at."""
FIRST = UUID(int=0)


class Step(StrEnum):
    """The parts of a sweep, in their order."""

    STAGING = "staging"
    REJECTED = "rejected"
    UPLOADS = "uploads"
    SOURCES = "sources"
    ASSETS = "assets"


class Fate(StrEnum):
    """What becomes of a thing that a sweep finds."""

    DELETED = "deleted"
    WOULD_GO = "would_go"
    KEPT = "kept"
    UNOWNED = "unowned"
    FAILED = "failed"


@dataclass(frozen=True)
class Found:
    """One thing that was looked at; `name` is its key or id, `size` in bytes (0 where it is not known)."""

    step: Step
    fate: Fate
    name: str
    why: str
    size: int = 0


@dataclass(frozen=True)
class Ground:
    """The stores of one sweep, and its rule.

    `now` is the instant that everything is judged by. What came to its end less than `grace` before it stays: that
    must be longer than the time for which the database may lose what it knew. `unknown` also deletes staged
    objects whose task the database does not have.
    """

    database: Database
    store: Store
    staging_bucket: str
    assets_bucket: str
    now: datetime
    grace: timedelta
    dry_run: bool = False
    unknown: bool = False

    @property
    def over_before(self) -> datetime:
        """What ended before this instant may go."""
        return self.now - self.grace


def present(database: Database) -> datetime:
    """The instant at the database, whose clock all services share."""
    row = database.one("now")
    if row is None:
        raise AssertionError("the clock always answers")
    now: datetime = row["now"]
    return now


def failed(step: Step, name: str, failure: Failure) -> Found:
    """A deletion that the store refused for one object. Raises the failure if none can succeed."""
    if failure.reason is not Reason.STORAGE_DENIED and not isinstance(failure.evidence.get("status"), int):
        raise failure
    return Found(step, Fate.FAILED, name, str(failure.reason))
