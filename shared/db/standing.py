"""How all tasks stand, counted up to a limit so that it costs the same at any number of tasks."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from shared.db.database import Database

MOST_COUNTED = 100_000
"""Counts end here: this number stands for itself and everything above it."""
MOST_PROVIDERS = 20


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


class StateCount(_Row):
    """Tasks in one state, and the seconds since the oldest of their outputs was ready; None without a task."""

    state: str
    tasks: int
    oldest_seconds: float | None


class LinkLife(_Row):
    """Lives of a provider's links in seconds: the shortest seen so far, and the 5th percentile of 24 hours."""

    provider: str
    shortest_seconds: float
    seen_at: datetime
    usual_short_seconds: float | None


class Ended(_Row):
    """Tasks that completed lately, that were abandoned, and those at risk now."""

    complete_last_hour: int
    complete_last_day: int
    abandoned: int
    at_risk: int


@dataclass(frozen=True)
class Standing:
    """The states that are not final in their order, the ends, and the shortest link lives first."""

    states: tuple[StateCount, ...]
    ended: Ended
    lives: tuple[LinkLife, ...]


def read_standing(database: Database) -> Standing:
    """How all tasks stand now; no count is above `MOST_COUNTED`."""
    states = database.run("status", most=MOST_COUNTED)
    ended = database.one("status_ended", most=MOST_COUNTED)
    lives = database.run("status_lives", limit=MOST_PROVIDERS)
    return Standing(
        tuple(StateCount.model_validate(row) for row in states),
        Ended.model_validate(ended),
        tuple(LinkLife.model_validate(row) for row in lives),
    )
