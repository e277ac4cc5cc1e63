"""How long links live at a provider, so far and lately, and the order of links that do not tell."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import taken
from tests.integration.db.test_leases import read

HOUR = 3600.0
WEEK = 7 * 86400.0
DAY_AGO = "date_trunc('hour', now()) - interval '26 hours'"


@pytest.fixture
def connection(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url()) as connection:
        yield connection


def seen(connection: psycopg.Connection, *lives: float) -> None:
    """Only these lives were seen, in this hour."""
    connection.execute("DELETE FROM recent_lives")
    connection.cursor().executemany(
        "INSERT INTO recent_lives VALUES ('p', date_trunc('hour', now()), life_step(%s), 1)"
        " ON CONFLICT (provider, hour, step) DO UPDATE SET seen = recent_lives.seen + 1",
        [(life,) for life in lives],
    )


def told(connection: psycopg.Connection, function: str, provider: str = "p") -> float | None:
    row = connection.execute(f"SELECT extract(epoch FROM {function}(%s))::float8".encode(), (provider,)).fetchone()
    assert row is not None
    return None if row[0] is None else float(row[0])


def usual(connection: psycopg.Connection) -> float | None:
    row = connection.execute("SELECT usual_short_life('p')").fetchone()
    assert row is not None
    return None if row[0] is None else float(row[0])


def urgency(database: TestDatabase, task_id: object) -> float:
    """Seconds from the output being ready to the instant by which the task is ordered."""
    ((seconds,),) = read(
        database, f"SELECT extract(epoch FROM urgency - ready_at)::float8 FROM tasks WHERE task_id = '{task_id}'"
    )
    assert isinstance(seconds, float)
    return seconds


# --- what is counted


def test_each_life_is_counted_and_the_shortest_so_far_is_kept(database: TestDatabase, accept: Accept) -> None:
    for life in (600.0, 605.0, 3600.0):
        accept(life=life, provider="p")
    accept(life=2.0, provider="q")
    accept(life=None, provider="q")
    accept(life=-5.0, life_seconds=-5.0, provider="q")
    assert read(database, "SELECT provider, sum(seen)::int, count(*)::int FROM recent_lives GROUP BY 1 ORDER BY 1") == [
        ("p", 3, 2),
        ("q", 1, 1),
    ]
    assert read(database, "SELECT provider, shortest_seconds FROM lives ORDER BY 1") == [("p", 600.0), ("q", 2.0)]


def test_a_repeated_event_counts_no_life_again(database: TestDatabase, accept: Accept) -> None:
    task_id = uuid4()
    for _ in range(3):
        accept(event_id="same", task_id=task_id, life=600.0)
    assert read(database, "SELECT sum(seen)::int FROM recent_lives") == [(1,)]


def test_the_life_of_a_refreshed_link_is_counted(database: TestDatabase, as_role: As, accept: Accept) -> None:
    accept(life=600.0, provider="p")
    refreshed = {
        "source_id": uuid4(), "sealed": b"x", "host": "h", "path_sha256": "0" * 64, "issued_at": None,
        "expires_at": datetime.now(UTC) + timedelta(seconds=595), "expires_from": "s3_v4", "confidence": "stated",
        "deadline": None, "life_seconds": 595.0, "life_is_sure": True, "counted_as": "p",
    }  # fmt: skip
    downloader = as_role("downloader")
    assert downloader.run("refreshed", **taken(downloader, Stage.DOWNLOAD).token, **refreshed)
    assert read(database, "SELECT provider, seen FROM recent_lives") == [("p", 2)]
    assert read(database, "SELECT provider, shortest_seconds FROM lives") == [("p", 595.0)]


def test_what_is_older_than_a_day_neither_counts_nor_stays(database: TestDatabase, accept: Accept) -> None:
    with psycopg.connect(database.url()) as connection:
        for provider in ("p", "q"):
            connection.execute(f"INSERT INTO recent_lives VALUES ('{provider}', {DAY_AGO}, 10, 50)".encode())
        assert usual(connection) is None
    accept(life=600.0, provider="p")
    assert read(database, f"SELECT provider FROM recent_lives WHERE hour <= {DAY_AGO}") == [("q",)]


# --- what is usual


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(1.0, 1e8), min_size=1, max_size=60))
def test_the_usual_short_life_is_the_5th_percentile_but_never_the_shortest_alone(
    connection: psycopg.Connection, lives: list[float]
) -> None:
    seen(connection, *lives)
    rank = max(math.ceil(0.05 * len(lives)), min(2, len(lives)))
    found, expected = usual(connection), sorted(lives)[rank - 1]
    assert found is not None
    assert expected / 1.1 * 0.999 <= found <= expected * 1.001


@pytest.mark.parametrize("others", [1, 2, 18, 500])
def test_one_odd_link_of_2_seconds_pushes_no_unknown_life_to_the_front(
    connection: psycopg.Connection, others: int
) -> None:
    seen(connection, *[HOUR] * others, 2.0)
    guessed = told(connection, "guessed_life")
    assert guessed is not None
    assert guessed >= HOUR / 1.1


def test_an_unknown_life_is_guessed_from_a_minute_to_an_hour(connection: psycopg.Connection) -> None:
    seen(connection)
    assert told(connection, "guessed_life") == HOUR
    for lives, guess in (((2.0, 2.0), 60.0), ((WEEK, WEEK), HOUR), ((600.0, 600.0), pytest.approx(600.0, rel=0.1))):
        seen(connection, *lives)
        assert told(connection, "guessed_life") == guess


# --- the order


def test_an_unknown_life_is_ordered_by_what_is_usual_at_its_provider(database: TestDatabase, accept: Accept) -> None:
    for _ in range(3):
        accept(life=600.0, provider="p")
    assert urgency(database, accept(life=None, provider="p")) == pytest.approx(600.0, rel=0.1)
    assert urgency(database, accept(life=None, provider="q")) == HOUR


def test_fr03_a_life_that_may_end_sooner_is_not_ordered_by_its_promise(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    promised = {"life": WEEK, "life_seconds": None, "life_is_sure": False}
    session, day, short = accept(**promised), accept(life=86400.0), accept(**{**promised, "life": 20.0})
    assert urgency(database, session) == HOUR
    assert urgency(database, short) == pytest.approx(20.0, abs=1.0)
    assert [taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(3)] == [short, session, day]
    assert read(database, "SELECT provider, shortest_seconds FROM lives") == [("generic", 86400.0)]


# --- many at once


def test_accepts_of_one_provider_at_once_wait_for_no_count_and_end_in_no_deadlock(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    with psycopg.connect(database.url()) as connection:
        connection.execute(
            f"INSERT INTO recent_lives SELECT 'p', {DAY_AGO}, step, 1 FROM generate_series(0, 200) step".encode()
        )
    as_role("ingest")

    def work(number: int) -> None:
        for each in range(20):
            accept(life=float(60 + 7 * number * each), provider="p")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert read(database, "SELECT count(*) FROM tasks") == [(160,)]
    assert read(
        database, "SELECT sum(seen) BETWEEN 1 AND 160, min(hour) > now() - interval '2 hours' FROM recent_lives"
    ) == [(True, True)]
    assert read(database, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [(0,)]


def test_an_accept_goes_on_while_another_one_holds_the_count(database: TestDatabase, accept: Accept) -> None:
    with psycopg.connect(database.url()) as holding:
        holding.execute("SELECT pg_advisory_xact_lock(hashtext('recent_lives'), hashtext('p'))")
        holding.execute("INSERT INTO recent_lives VALUES ('p', date_trunc('hour', now()), life_step(600), 1)")
        accept(life=600.0, provider="p")
    accept(life=600.0, provider="p")
    assert read(database, "SELECT seen FROM recent_lives") == [(2,)]
