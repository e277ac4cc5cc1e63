"""A claim looks at heads only, whatever the planner knows of the rows: it never reads through a backlog."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from shared.db.statements import statement
from tests.conftest import TestDatabase
from tests.integration.db.conftest import FLOOD, Accept, Flood

LANES = ("p/x", "p/y", "q/x")
MOST_ROWS = 100
"""Rows that a claim may look at among three lanes and four accounts; a backlog is 10,000."""


@pytest.fixture(params=["none", "of the flood alone", "fresh"])
def crowded(request: pytest.FixtureRequest, database: TestDatabase, accept: Accept, flood: Flood) -> TestDatabase:
    """An account in front of three others in every lane, with the statistics that the name says."""
    flood(*LANES)
    if request.param == "of the flood alone":
        _as_superuser(database, "ANALYZE")
    for number in range(12):
        accept(life=(-60.0, 3600.0)[number % 2], lane=LANES[number % 3], account=f"other-{number % 4}")
    if request.param == "fresh":
        _as_superuser(database, "ANALYZE")
    return database


def _as_superuser(database: TestDatabase, words: str) -> None:
    with psycopg.connect(database.url(), autocommit=True) as connection:
        connection.execute(words.encode())


CASES: list[tuple[Mapping[str, Any], str | None]] = [
    ({}, "flood"),
    ({"within_seconds": 300.0}, "flood"),
    ({"crowded_there": ["flood@p/x", "flood@p/y", "flood@q/x"]}, "other"),
    ({"crowded": ["flood"]}, "other"),
    ({"crowded": ["flood"], "lanes": ["p/x"], "providers": ["q"]}, "other"),
    ({"crowded": ["flood"], "late": True, "within_seconds": 0.0}, "other"),
    ({"lanes": ["p/x", "p/y"]}, "flood"),
    ({"lanes": ["p/x"], "providers": ["p", "q"]}, None),
]


def test_a_claim_looks_at_heads_only(crowded: TestDatabase) -> None:
    nothing: dict[str, list[str]] = {"lanes": [], "providers": [], "crowded": [], "crowded_there": []}
    usual = {"stage": "download", "worker": "w", "lease_seconds": 60.0, "late": False, "within_seconds": None}
    for barred, expected in CASES:
        looked_at, account = _explained(crowded, {**usual, **nothing, **barred, "lease_id": uuid4()})
        assert looked_at < MOST_ROWS < FLOOD / 10, barred
        assert account == expected, barred


def _explained(database: TestDatabase, values: Mapping[str, Any]) -> tuple[int, str | None]:
    """How many rows of tasks a claim looks at, and whose task it takes; it is undone at once."""
    with psycopg.connect(database.url("outlast_downloader")) as connection:
        row = connection.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement("claim"), values).fetchone()
        taken = connection.execute(
            "SELECT split_part(account, '-', 1) FROM tasks WHERE lease_id IS NOT NULL"
        ).fetchone()
        connection.rollback()
    assert row is not None
    scans = [node for node in _nodes(row[0][0]["Plan"]) if node.get("Relation Name") == "tasks"]
    looked_at = sum(node["Actual Loops"] * (node["Actual Rows"] + _removed(node)) for node in scans)
    return looked_at, taken[0] if taken else None


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def _removed(node: Mapping[str, Any]) -> int:
    return int(node.get("Rows Removed by Filter", 0)) + int(node.get("Rows Removed by Index Recheck", 0))
