"""What a reader asks costs the same at any number of tasks: each read goes along an index and stops at its limit."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

from shared.db.statements import statement
from tests.conftest import TestDatabase
from tests.integration.reading.filled import fill

FULL = os.environ.get("OUTLAST_DRILLS") == "full"
TASKS = 1_000_000 if FULL else 40_000
WINDOW = 10_000 if FULL else 500
"""Of a small table so many rows that reading all of it would be wrong."""
MOST_ROWS = 10 * WINDOW
"""That a read may go through: a count stops at the window for each of eight states."""

LATEST, LAST = datetime.max.replace(tzinfo=UTC), UUID(int=2**128 - 1)
EARLIEST, FIRST = datetime.min.replace(tzinfo=UTC), UUID(int=0)
NOBODY = {"account": None, "state": None, "provider": None, "reason": None, "since": EARLIEST}
NEWEST = {**NOBODY, "before_at": LATEST, "before_id": LAST, "window": WINDOW, "limit": 20}
NEWEST |= {"window_account": None, "window_state": None}
URGENT = {**NOBODY, "after_at": EARLIEST, "after_id": FIRST, "window": WINDOW, "limit": 20, "only_at_risk": False}
SOME = datetime.now(UTC) - timedelta(seconds=TASKS / 2)
NAMED = {"wanted": "job-7", "lowest_id": None, "highest_id": None, "limit": 50}
ONE = {"task_id": UUID(int=7)}
REJECTED: dict[str, Any] = {"account": None, "reason": None, "since": EARLIEST, "before": LATEST, "purged": False}
REJECTED |= {"window": WINDOW, "limit": 20}

REVERIFY: dict[str, Any] = {
    "since": EARLIEST,
    "after_at": EARLIEST,
    "after_id": FIRST,
    "window": WINDOW,
    "again": False,
}
REVERIFY |= {"account": None, "policy_below": None, "verifier_version": "v"}

READS: list[tuple[str, Mapping[str, Any]]] = [
    ("tasks_newest", NEWEST),
    ("tasks_newest", {**NEWEST, "before_at": SOME}),
    ("tasks_newest", {**NEWEST, "since": SOME, "provider": "nobody"}),
    ("tasks_newest", {**NEWEST, "account": "account-7", "window_account": "account-7", "reason": "poisoned"}),
    ("tasks_newest", {**NEWEST, "state": "abandoned", "window_state": "abandoned", "before_at": SOME}),
    ("tasks_newest", {**NEWEST, "state": "needs_attention", "window_state": "needs_attention", "account": "account-9"}),
    ("tasks_urgent", URGENT),
    ("tasks_urgent", {**URGENT, "after_at": SOME, "provider": "nobody"}),
    ("tasks_urgent", {**URGENT, "only_at_risk": True}),
    ("tasks_named", NAMED),
    ("tasks_named", {**NAMED, "wanted": "operation-3"}),
    ("tasks_named", {**NAMED, "wanted": "0abc", "lowest_id": UUID(int=7), "highest_id": UUID(int=9)}),
    ("task_keys", ONE),
    ("public_task", ONE),
    ("status", {"most": WINDOW}),
    ("status_ended", {"most": WINDOW}),
    ("story_events", {**ONE, "limit": 500}),
    ("story_sources", {**ONE, "limit": 500}),
    ("story_claims", {**ONE, "before": 2**31 - 1, "limit": 500}),
    ("story_history", {**ONE, "before": 2**62, "limit": 500}),
    ("story_job", {"job_key": UUID(int=7)}),
    ("rejected_newest", REJECTED),
    ("rejected_newest", {**REJECTED, "account": "account-8", "reason": "nothing"}),
    ("rejected_of_task", {**ONE, "limit": 100}),
    ("reverifications_of_task", {**ONE, "limit": 100}),
]
OPERATORS: list[tuple[str, Mapping[str, Any]]] = [
    ("rejected_objects", {**ONE, "epoch": None, "limit": WINDOW}),
    ("rejected_older", {"before": LATEST, "limit": WINDOW}),
    ("assets_to_reverify", REVERIFY),
    ("assets_to_reverify", {**REVERIFY, "after_at": SOME, "account": "account-11", "policy_below": 1}),
    ("reverifications_differing", {"verifier_version": "v", "since": EARLIEST, "account": None, "limit": WINDOW}),
]
LARGE_TABLES = {"tasks", "claims", "history", "events", "sources", "jobs", "assets", "rejected", "reverifications"}


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for inner in plan.get("Plans", []):
        yield from nodes(inner)


def rows_of(node: Mapping[str, Any]) -> int:
    """Rows that a scan went through, also those that it threw away."""
    removed = sum(value for name, value in node.items() if name.startswith("Rows Removed"))
    return int((node["Actual Rows"] + removed) * node["Actual Loops"])


def faults(plan: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with how a read went through the large tables."""
    scans = [node for node in nodes(plan["Plan"]) if node.get("Relation Name") in LARGE_TABLES]
    if not scans:
        yield "it reads no large table"
    for scan in scans:
        if scan["Node Type"] == "Seq Scan":
            yield f"it reads all of {scan['Relation Name']}"
        if rows_of(scan) > MOST_ROWS:
            yield f"it reads {rows_of(scan)} rows of {scan['Relation Name']}"
    if plan["Execution Time"] > 1000:
        yield f"it takes {plan['Execution Time']} ms"


@pytest.mark.timeout(1200)
def test_every_read_goes_along_an_index_and_stops_at_its_limit(database: TestDatabase) -> None:
    fill(database, TASKS)
    found: list[str] = []
    for role, reads in (("outlast_reader", READS), ("outlast_operator", OPERATORS)):
        found += list(faults_of(database.url(role), reads))
    assert not found, "\n".join(found)


def faults_of(url: str, reads: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """What is wrong with how each read goes, as the role of the URL."""
    with psycopg.connect(url, row_factory=dict_row) as connection:
        for read, values in reads:
            explained = connection.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement(read), values).fetchone()
            assert explained is not None
            (plan,) = explained["QUERY PLAN"]
            print(f"{plan['Execution Time']:8.2f} ms  {read}")
            yield from (f"{read} {values}: {fault}" for fault in faults(plan))
