"""The headline figures as the database has them, and the mark of a task at risk."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.downloader.delays import margin
from shared.db.headline import read_headline
from shared.db.views import read_task
from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import complete, stage_bytes, taken

HOUR = timedelta(hours=1)


@pytest.fixture
def connection(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url()) as connection:
        yield connection


def is_at_risk(connection: psycopg.Connection, life: float, left: float, stage: str | None = "download") -> bool:
    row = connection.execute(
        "SELECT is_at_risk(%s, statement_timestamp() + make_interval(secs => %s), "
        "statement_timestamp() + make_interval(secs => %s))",
        (stage, left - life, left),
    ).fetchone()
    assert row is not None
    return bool(row[0])


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0.0, 1000.0) | st.floats(0.0, 1e6), st.floats(-10.0, 200.0) | st.floats(-1e5, 1e5))
def test_a_task_is_at_risk_within_two_margins_of_its_end(
    connection: psycopg.Connection, life: float, left: float
) -> None:
    if abs(left - 2 * margin(life)) > 0.001:
        assert is_at_risk(connection, life, left) is (left < 2 * margin(life))


@pytest.mark.parametrize("stage", ["verify", "promote", None])
def test_a_task_whose_bytes_are_here_or_that_has_stopped_is_never_at_risk(
    connection: psycopg.Connection, stage: str | None
) -> None:
    assert not is_at_risk(connection, 600.0, -10.0, stage)


def ready_ago(seconds: float, life: float) -> dict[str, object]:
    """Values of an event about an output that was ready some seconds ago, whose link has so long a life."""
    ready_at = datetime.now(UTC) - timedelta(seconds=seconds)
    return {"ready_at": ready_at, "life": life - seconds}


def test_tasks_at_risk_are_counted_and_marked_while_trying_goes_on(as_role: As, accept: Accept) -> None:
    near, past = accept(**ready_ago(100.0, 115.0)), accept(**ready_ago(100.0, 90.0))
    fine = accept(**ready_ago(100.0, 300.0))
    reader = as_role("reader")
    marks = [task.at_risk for task in (read_task(reader, task_id) for task_id in (near, past, fine)) if task]
    assert marks == [True, True, False]
    assert read_headline(as_role("downloader")).tasks_at_risk == 2
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    assert claim.task_id == near
    assert read_headline(as_role("downloader")).tasks_at_risk == 2
    stage_bytes(as_role("downloader"), claim)
    assert read_headline(as_role("downloader")).tasks_at_risk == 1
    staged = read_task(reader, near)
    assert staged is not None
    assert not staged.at_risk


@pytest.mark.parametrize("role", ["ingest", "downloader", "verifier", "promoter", "sweeper"])
def test_every_service_reads_the_headline(as_role: As, accept: Accept, role: str) -> None:
    complete(as_role, accept)
    accept(life=600.0, provider="p")
    accept(life=700.0, provider="p")
    accept(life=2.0, provider="q")
    figures = read_headline(as_role(role))
    assert figures.shortest_lives == pytest.approx({"generic": 3600.0, "p": 600.0, "q": 2.0})
    assert figures.usual_lives.keys() == {"generic", "p", "q"}
    assert 700.0 / 1.1 <= figures.usual_lives["p"] <= 700.0
    assert (figures.outputs_waiting, figures.complete_without_uri) == (3, 0)


@pytest.mark.parametrize("ahead", [HOUR, -HOUR, timedelta()])
def test_the_headline_tells_how_far_the_clock_of_the_database_is_off_ours(as_role: As, ahead: timedelta) -> None:
    figures = read_headline(as_role("verifier"), lambda: datetime.now(UTC) + ahead)
    assert figures.clock_offset_seconds == pytest.approx(-ahead.total_seconds(), abs=5.0)
    assert ahead or figures.clock_offset_seconds == 0.0, "the time of the question itself is no offset"
