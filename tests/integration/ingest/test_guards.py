"""What the schema and the acts refuse whoever asks, and what happens when two transactions meet."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest

from services.ingest.events import Outcome
from services.ingest.silence import Silence
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As
from tests.integration.ingest.conftest import Say, See
from tests.system.conftest import until

URL = "https://cdn.example/a.mp4?sig=x"


@pytest.mark.parametrize("column", ["output_id", "processor_version"])
def test_no_output_gets_another_name(say: Say, database: TestDatabase, column: str) -> None:
    say("output.ready", url=URL)
    with (
        psycopg.connect(database.url("outlast_ingest")) as connection,
        pytest.raises(psycopg.errors.CheckViolation, match="only a placeholder"),
    ):
        connection.execute(f"UPDATE tasks SET {column} = 'another'".encode())


@pytest.mark.parametrize("columns", [("NULL", "NULL"), ("'x'", "'{}'")])
def test_a_source_is_a_link_or_an_object_and_never_both_or_neither(
    say: Say, database: TestDatabase, columns: tuple[str, str]
) -> None:
    task_id = say("output.ready", url=URL).task_id
    statement = f"""
        INSERT INTO sources (source_id, task_id, sealed, object, host, path_sha256, expires_from, confidence)
        VALUES ('{uuid4()}', '{task_id}', {columns[0]}, {columns[1]}, '', '', 'none', 'unknown')"""
    with (
        psycopg.connect(database.url("outlast_ingest")) as connection,
        pytest.raises(psycopg.errors.CheckViolation, match="a_source_is_a_link_or_an_object"),
    ):
        connection.execute(statement.encode())


def test_no_producers_clock_makes_anything_happen_in_the_future(say: Say, see: See) -> None:
    future = (datetime.now(UTC) + timedelta(hours=5)).isoformat()
    say("generation.started", started_at=future)
    say("output.ready", url=URL, ready_at=future)
    say("output.failed", job_id="another", failed_at=future)
    assert see("SELECT count(*) FROM tasks WHERE ready_at > now() + interval '1 minute'") == [(0,)]


def test_an_event_with_a_used_id_announces_nothing_again(say: Say, see: See, database: TestDatabase) -> None:
    say("output.ready", output_id="other", url=URL, event_id="used")
    say("output.ready", output_id="0", url=URL)
    with psycopg.connect(database.url()) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE tasks SET state = 'needs_attention', reason = 'tls_invalid' WHERE output_id = '0'")
    assert say("output.ready", output_id="0", url=URL, event_id="used").outcome is Outcome.ID_CONFLICT
    assert see("SELECT announce_at FROM tasks WHERE output_id = '0'") == [(None,)]


def test_a_job_that_somebody_is_asking_about_is_not_told_as_silent(
    say: Say, see: See, as_role: As, database: TestDatabase
) -> None:
    say("generation.started")
    with psycopg.connect(database.url()) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE tasks SET ready_at = now() - interval '2 days', lease_id = gen_random_uuid(), lease_worker = 'w',"
            " leased_at = now(), wake_at = now() + interval '1 minute'"
        )
    silence = Silence(as_role("ingest"), generation_seconds=86400, envelope_seconds=600)
    assert silence.look() == 0
    with psycopg.connect(database.url()) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE tasks SET lease_id = NULL, lease_worker = NULL, leased_at = NULL, wake_at = NULL")
    assert silence.look() == 1


def test_a_failure_that_meets_a_job_in_motion_waits_and_sees_where_it_went(
    say: Say, see: See, database: TestDatabase
) -> None:
    say("generation.started")
    with psycopg.connect(database.url("outlast_ingest")) as mover, ThreadPoolExecutor(1) as pool:
        mover.execute("UPDATE tasks SET state = 'output_ready'")
        waiting = pool.submit(say, "output.failed")
        _until_blocked(see)
        mover.commit()
        assert waiting.result(10).state == "output_ready"
    assert see("SELECT act, from_state FROM history WHERE act IN ('failed', 'conflict')") == [
        ("conflict", "output_ready")
    ]


def test_an_output_that_meets_the_end_of_waiting_is_not_lost(say: Say, see: See, database: TestDatabase) -> None:
    say("generation.started")
    with psycopg.connect(database.url("outlast_ingest")) as mover, ThreadPoolExecutor(1) as pool:
        mover.execute("UPDATE tasks SET state = 'needs_attention', reason = 'provider_silent'")
        waiting = pool.submit(say, "output.ready", url=URL)
        _until_blocked(see)
        mover.commit()
        assert waiting.result(10).state == "output_ready"
    assert see("SELECT state, output_id, reason FROM tasks") == [("output_ready", "0", None)]


def _until_blocked(see: See) -> None:
    until(
        lambda: (
            see(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )[0][0]
            > 0
        ),
        "it waits",
        10,
    )
