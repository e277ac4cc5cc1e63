"""Databases under each service's role, and tasks made through the real acts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.db import Database
from tests.conftest import TestDatabase

As = Callable[[str], Database]
Accept = Callable[..., UUID]


@pytest.fixture
def as_role(database: TestDatabase) -> Iterator[As]:
    """`as_role("downloader")` is the database as that service sees it."""
    opened: dict[str, Database] = {}
    opening = Lock()

    def connect(name: str) -> Database:
        with opening:
            if name not in opened:
                opened[name] = Database(database.url(f"outlast_{name}"), connections=12, name=name)
            return opened[name]

    yield connect
    for one in opened.values():
        one.close()


def accept_values(**changes: Any) -> dict[str, Any]:
    """Every value of the act `accept`, for one event about a task of its own."""
    now = datetime.now(UTC)
    task_id = changes.pop("task_id", uuid4())
    life = changes.pop("life", 3600.0)
    expires = now + timedelta(seconds=life) if life is not None else None
    return {
        "account": "studio",
        "source": "tests",
        "event_id": uuid4().hex,
        "body_sha256": "0" * 64,
        "task_id": task_id,
        "download_key": str(task_id),
        "provider": "generic",
        "provider_account": "default",
        "job_id": str(task_id),
        "output_id": "0",
        "operation_id": "op",
        "attempt_id": "1",
        "variant": None,
        "retention_class": "original",
        "display_name": None,
        "promised_kind": None,
        "expected": {},
        "traceparent": None,
        "lane": "other/00",
        "ready_at": now,
        "url_expires_at": expires,
        "deadline": expires,
        "life_seconds": life,
        "source_id": uuid4(),
        "sealed": b"sealed",
        "host": "example.org",
        "path_sha256": "0" * 64,
        "issued_at": None,
        "expires_from": "s3_v4",
        "confidence": "high",
        **changes,
    }


@pytest.fixture
def accept(as_role: As) -> Accept:
    """Accepts an event and returns its task."""

    def run(**changes: Any) -> UUID:
        values = accept_values(**changes)
        as_role("ingest").run_all(
            [
                ("lock_task", {"task_id": str(values["task_id"])}),
                ("hold_task", {"task_id": values["task_id"]}),
                ("accept", values),
            ]
        )
        task_id: UUID = values["task_id"]
        return task_id

    return run
