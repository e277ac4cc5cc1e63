"""Which jobs are asked for next: accounts have turns, and no backlog is read through."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
import pytest

from shared.db.statements import statement
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As

BACKLOG = 10_000
MOST_ROWS = 200
"""Rows that a look may read among three accounts at two providers."""
ADD_JOBS = """
    INSERT INTO jobs (job_key, account, provider, provider_account, job_id, started_at, due_at)
    SELECT gen_random_uuid(), %(account)s, %(provider)s, 'main', n::text, statement_timestamp(),
           statement_timestamp() + make_interval(secs => %(due)s + n::float8 / 1000)
    FROM generate_series(1, %(number)s) n
"""
LOOK: dict[str, Any] = {"lease_seconds": 60, "generation_seconds": 86400}


def add(database: TestDatabase, account: str, provider: str, number: int, due: float) -> None:
    with psycopg.connect(database.url(), autocommit=True) as connection:
        values = {"account": account, "provider": provider, "number": number, "due": due}
        connection.execute(ADD_JOBS, values)


@pytest.fixture(params=["without statistics", "with statistics of the flood", "with fresh statistics"])
def flooded(request: pytest.FixtureRequest, database: TestDatabase) -> TestDatabase:
    """One account with a backlog of an hour, one with a few jobs that are due, and one whose jobs are not due yet."""
    for provider in ("acme", "second"):
        add(database, "flood", provider, BACKLOG, -3600.0)
    analyze(database, "of the flood" in request.param)
    for provider in ("acme", "second"):
        add(database, "studio", provider, 5, -1.0)
        add(database, "waits", provider, BACKLOG, 3600.0)
    analyze(database, "fresh" in request.param)
    return database


def analyze(database: TestDatabase, wanted: bool) -> None:
    with psycopg.connect(database.url(), autocommit=True) as connection:
        if wanted:
            connection.execute("ANALYZE")


def look(as_role: As, **most: int) -> Counter[tuple[str, str]]:
    rows = as_role("ingest").run("poll_due", providers=list(most), most=list(most.values()), most_of_all=100, **LOOK)
    return Counter((row["provider"], row["account"]) for row in rows)


def test_an_account_with_a_backlog_leaves_turns_to_others(flooded: TestDatabase, as_role: As) -> None:
    assert look(as_role, acme=6) == {("acme", "flood"): 3, ("acme", "studio"): 3}
    assert look(as_role, acme=6, second=2) == {
        ("acme", "flood"): 4,
        ("acme", "studio"): 2,
        ("second", "flood"): 1,
        ("second", "studio"): 1,
    }
    assert look(as_role, acme=6) == {("acme", "flood"): 6}


def test_where_one_may_be_asked_the_turns_are_drawn(flooded: TestDatabase, as_role: As) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(60):
        found += look(as_role, acme=1)
        if found["acme", "studio"] == 5:
            break
    assert found["acme", "studio"] == 5
    assert found["acme", "flood"] > 0


def test_no_more_are_taken_than_may_be_asked_in_all(flooded: TestDatabase, as_role: As) -> None:
    values = {"providers": ["acme", "second"], "most": [6, 6], "most_of_all": 7, **LOOK}
    assert len(as_role("ingest").run("poll_due", **values)) == 7


def test_a_look_reads_no_backlog(flooded: TestDatabase) -> None:
    values = {"providers": ["acme", "second", "third"], "most": [8, 8, 8], "most_of_all": 16, **LOOK}
    with psycopg.connect(flooded.url("outlast_ingest")) as connection:
        row = connection.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement("poll_due"), values).fetchone()
        connection.rollback()
    assert row is not None
    scans = [node for node in nodes(row[0][0]["Plan"]) if node.get("Relation Name") == "jobs"]
    read = sum(node["Actual Loops"] * (node["Actual Rows"] + removed(node)) for node in scans)
    assert read < MOST_ROWS


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def removed(node: Mapping[str, Any]) -> int:
    return int(node.get("Rows Removed by Filter", 0)) + int(node.get("Rows Removed by Index Recheck", 0))
