"""Refused bytes: where they lie, and how an operator fetches and purges them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from outlast.reading import copy_verified
from shared.db import Database
from shared.errors import UsageError
from shared.objects import Store

ENDING = ".hostile"
"""What the name of a fetched file ends with, so that nobody takes it for an asset."""
MODE = 0o600
MOST = 10_000
"""Objects that one purge finds."""


@dataclass(frozen=True)
class Refused:
    """A staged object whose bytes were refused; it is a Reference. `in_use`: its task was sent on with it since."""

    task_id: UUID
    epoch: int
    bucket: str
    key: str
    version_id: str | None
    size: int
    sha256: str
    reason: str
    rejected_at: datetime
    in_use: bool


def of_task(database: Database, task_id: UUID, epoch: int | None = None) -> list[Refused]:
    """What is kept of one task, the latest first; with `epoch` only what that claim refused."""
    return _read(database.run("rejected_objects", task_id=task_id, epoch=epoch, limit=MOST))


def older(database: Database, before: datetime) -> list[Refused]:
    """What was refused before an instant and is kept, the oldest first, `MOST` at most."""
    return _read(database.run("rejected_older", before=before, limit=MOST))


def fetch(store: Store, refused: Refused, to: Path) -> Path:
    """Copy the bytes into a new file that only its owner reads, and return it: its name ends with `ENDING`.

    Raises UsageError where there is a file of that name or none can be made, and as `copy_verified` does; no file
    is left then.
    """
    path = to if to.suffix == ENDING else to.with_name(to.name + ENDING)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, MODE)
    except OSError as error:
        raise UsageError(f"Cannot make the new file {path}: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "r+b") as file:
            copy_verified(refused, file, max_bytes=refused.size, store=store)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def purge(database: Database, store: Store, refused: Refused, *, by: str, why: str) -> bool:
    """Delete the object, in its very version, and record by whom and why; False where it is purged or in use by now.

    Its end is committed before its deletion, so that no task is sent on with bytes that are about to go; a purge
    that was cut short is ended by the next one.
    """
    named = {"task_id": refused.task_id, "epoch": refused.epoch}
    row = database.one("purging", **named, by=by, why=why)
    if row is None:
        return False
    store.delete(row["bucket"], row["key"], row["version_id"])
    return database.one("purged", **named) is not None


def _read(rows: list[Mapping[str, Any]]) -> list[Refused]:
    return [Refused(**row) for row in rows]
