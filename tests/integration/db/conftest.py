"""Databases under each service's role, and tasks made through the real acts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.db import Database
from tests.conftest import TestDatabase

As = Callable[[str], Database]
Accept = Callable[..., UUID]
Flood = Callable[..., None]
FLOOD = 10_000
ADD_TASKS = """
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        state, source_lane, urgency, ready_at)
    SELECT id, id::text, 'flood', 'generic', 'default', id::text, '0', 'op', '1', 'output_ready', %(lane)s,
           statement_timestamp() + make_interval(secs => 100 + random()), statement_timestamp()
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, %(count)s)) made
"""


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
        "event_type": "outlast.output.ready",
        "body_sha256": "0" * 64,
        "task_id": task_id,
        "subject_id": task_id,
        "placeholder_id": None,
        "kin_id": None,
        "model": None,
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
        "processor_version": None,
        "provenance": None,
        "derived_from": None,
        "object": None,
        "traceparent": None,
        "lane": "other/00",
        "ready_at": now,
        "url_expires_at": expires,
        "deadline": expires,
        "life_seconds": life,
        "life_is_sure": life is not None,
        "counted_as": changes.get("provider", "generic"),
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
                ("lock_job", {"job": str(values["task_id"])}),
                ("hold_task", {"task_id": values["task_id"]}),
                ("accept", values),
            ]
        )
        task_id: UUID = values["task_id"]
        return task_id

    return run


@pytest.fixture
def flood(database: TestDatabase) -> Flood:
    """`flood("x", "y")` spreads 10,000 tasks with some 100 s left over the lanes, all of the account `flood`."""

    def add(*lanes: str, tasks: int = FLOOD) -> None:
        with psycopg.connect(database.url("outlast_ingest"), autocommit=True) as connection:
            for lane in lanes:
                connection.execute("INSERT INTO lanes (stage, lane) VALUES ('download', %s)", (lane,))
                connection.execute(ADD_TASKS, {"lane": lane, "count": tasks // len(lanes)})

    return add
