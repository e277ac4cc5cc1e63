"""A job that is to be asked for now."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from services.ingest.reported import Job


@dataclass(frozen=True)
class Due:
    """A row that the act `poll_due` took; `asked` counts the question that comes now."""

    job: Job
    sealed: bytes | None = field(repr=False)
    """The address of its record as an event gave it."""
    started_at: datetime
    asked: int
    troubles: int
    unknown: int
    unknown_since: datetime | None
    traceparent: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """From the row."""
        names = ("account", "provider", "provider_account", "job_id", "model")
        own = {name: value for name, value in row.items() if name not in names}
        return cls(Job(**{name: row[name] for name in names}), **own)
