"""The database's clock as its services tell it."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.db import Database, clock
from shared.db.clock import ASK_SECONDS, DatabaseClock
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As

HOUR = timedelta(hours=1)


class Steady:
    def __init__(self) -> None:
        self.passed = 0.0

    def __call__(self) -> float:
        return self.passed


class WrongMachine(datetime):
    """A machine whose own clock is an hour ahead."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return datetime.now(UTC) + HOUR


def test_case_27_the_time_of_the_database_is_told_on_a_machine_whose_clock_is_wrong(
    as_role: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "datetime", WrongMachine)
    assert abs(DatabaseClock(as_role("ingest")).now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_the_database_is_asked_once_a_minute_and_its_answer_carried_on(as_role: As) -> None:
    steady = Steady()
    told = DatabaseClock(as_role("downloader"), steady)
    first = told.now()
    steady.passed = ASK_SECONDS - 1
    assert told.now() - first == timedelta(seconds=ASK_SECONDS - 1)
    steady.passed = ASK_SECONDS
    assert told.now() - first < timedelta(seconds=ASK_SECONDS / 2), "it was asked again, and no minute had passed there"


def test_while_the_database_is_away_its_last_answer_is_carried_on(database: TestDatabase) -> None:
    steady, connection = Steady(), Database(database.url("outlast_downloader"), name="away")
    told, never_heard = DatabaseClock(connection, steady), DatabaseClock(connection, steady)
    first = told.now()
    connection.close()
    steady.passed = 10 * ASK_SECONDS
    assert told.now() - first == timedelta(seconds=10 * ASK_SECONDS)
    assert abs(never_heard.now() - datetime.now(UTC)) < timedelta(seconds=5)
