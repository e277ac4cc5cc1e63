"""Who may see and change the ledger of processors, and what the schema lets nobody write."""

from typing import Any

import psycopg
import pytest

from outlast import (
    Asset,
    ProcessingLedger,
    Run,
)
from tests.conftest import TestDatabase
from tests.integration.processors.conftest import VERSION
from tests.integration.processors.runs import POSTER, Administrator, completed, run_of


def test_the_role_of_a_processor_reaches_nothing_but_its_ledger(database: TestDatabase) -> None:
    with psycopg.connect(database.url("outlast_processor"), autocommit=True) as connection:
        connection.execute("SELECT task_id FROM public_tasks")
        for statement in (
            "SELECT * FROM tasks",
            "SELECT * FROM sources",
            "SELECT * FROM assets",
            "UPDATE tasks SET reason = 'x'",
            "DELETE FROM processing",
            "UPDATE processing SET task_id = gen_random_uuid()",
            "UPDATE processing SET sha256 = repeat('0', 64)",
            "CREATE TABLE mine ()",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


def test_the_schema_keeps_a_row_whole(ledger: ProcessingLedger, asset: Asset, administrator: Administrator) -> None:
    run_of(ledger, asset)
    unleased = "lease_id = NULL, lease_worker = NULL, lease_ends_at = NULL"
    for change, constraint in {
        f"state = 'completed', {unleased}": "an_end_has_its_time",
        f"state = 'completed', finished_at = now(), {unleased}": "completed_has_its_result",
        f"state = 'failed', finished_at = now(), {unleased}": "a_refusal_has_a_reason",
        "lease_worker = NULL": "lease_is_whole",
        "state = 'received'": "a_run_is_leased",
    }.items():
        with pytest.raises(psycopg.errors.CheckViolation, match=constraint):
            administrator.execute(f"UPDATE processing SET {change}".encode())


def test_a_reader_sees_what_was_made_and_no_lease(
    database: TestDatabase, ledger: ProcessingLedger, asset: Asset, as_role: Any
) -> None:
    completed(ledger, asset)
    (seen,) = as_role("reader").run("processing_of_task", task_id=asset.task_id)
    assert (seen["processor_version"], seen["state"], seen["result_size"]) == (VERSION, "completed", len(POSTER))
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        psycopg.connect(database.url("outlast_reader")) as connection,
    ):
        connection.execute("SELECT lease_id FROM processing")


def test_a_row_that_an_operator_deletes_is_processed_anew(
    database: TestDatabase, ledger: ProcessingLedger, asset: Asset
) -> None:
    with run_of(ledger, asset) as run:
        run.reject("mistaken")
    with psycopg.connect(database.url("outlast_operator"), autocommit=True) as connection:
        connection.execute("DELETE FROM processing WHERE task_id = %s", (asset.task_id,))
    assert isinstance(ledger.begin(asset, VERSION), Run)
