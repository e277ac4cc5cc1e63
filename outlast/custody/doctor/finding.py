"""What a check found: how bad it is, what was seen, and what that means."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is; only an error ends the command with 1."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """`seen` is one sentence on what was seen, `meaning` one on what it means for Outlast and what to do."""

    level: Level
    seen: str
    meaning: str


@dataclass(frozen=True)
class Check:
    """One look at one matter, as `--only` calls it."""

    name: str
    group: str


def ok(seen: str, meaning: str) -> Finding:
    """As it should be."""
    return Finding(Level.OK, seen, meaning)


def note(seen: str, meaning: str) -> Finding:
    """Another way than the best, with which Outlast works as well."""
    return Finding(Level.NOTE, seen, meaning)


def warning(seen: str, meaning: str) -> Finding:
    """Outlast works, and something is at risk."""
    return Finding(Level.WARNING, seen, meaning)


def error(seen: str, meaning: str) -> Finding:
    """Outlast does not work, or loses something."""
    return Finding(Level.ERROR, seen, meaning)
