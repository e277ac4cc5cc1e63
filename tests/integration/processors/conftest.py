"""Captured assets in a real store and a real database, and a ledger over both."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest

from outlast import Asset, ProcessingLedger
from shared.objects import Store
from shared.states import Stage, State
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As, accept, as_role
from tests.integration.db.moves import prove, stage_bytes, taken
from tests.integration.db.moves import store as record_stored
from tests.integration.objects.conftest import bucket, faulty, proxy, s3, store

__all__ = ["accept", "as_role", "bucket", "faulty", "proxy", "s3", "store"]

BODY = b"the bytes of a video" * 1000
VERSION = "poster/1"
Capture = Callable[..., Asset]


@dataclass(frozen=True)
class Ledgers:
    """Opens ledgers over the test's database, store and bucket, closed at the end."""

    database: TestDatabase
    store: Store
    bucket: str
    opened: list[ProcessingLedger]

    def __call__(self, **options: Any) -> ProcessingLedger:
        given = {"store": self.store, "output_bucket": self.bucket, **options}
        ledger = ProcessingLedger(self.database.url("outlast_processor"), **given)
        self.opened.append(ledger)
        return ledger


@pytest.fixture
def ledgers(database: TestDatabase, store: Store, bucket: str) -> Iterator[Ledgers]:
    opening = Ledgers(database, store, bucket, [])
    yield opening
    for ledger in opening.opened:
        ledger.close()


@pytest.fixture
def ledger(ledgers: Ledgers) -> ProcessingLedger:
    return ledgers()


@pytest.fixture
def capture(as_role: As, accept: Accept, store: Store, bucket: str) -> Capture:
    """Brings bytes to a complete task, and returns the asset as its message would name it."""

    def run(body: bytes = BODY, *, recorded: str | None = None, completed: bool = True) -> Asset:
        sha256 = recorded or hashlib.sha256(body).hexdigest()
        task_id = accept()
        stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD), sha256=sha256)
        prove(as_role("verifier"), taken(as_role("verifier"), Stage.VERIFY))
        claim = taken(as_role("promoter"), Stage.PROMOTE)
        assert record_stored(as_role("promoter"), claim)
        if completed:
            assert as_role("promoter").run("complete", **replace(claim, state=State.STORED).token, evidence={})
        store.put(bucket, f"video/{task_id}", body, content_type="video/mp4")
        return Asset(task_id, bucket, f"video/{task_id}", None, len(body), sha256, "studio", "video")

    return run


@pytest.fixture
def asset(capture: Capture) -> Asset:
    return capture()


@pytest.fixture
def administrator(database: TestDatabase) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    with psycopg.connect(database.url(), autocommit=True) as connection:
        yield connection
