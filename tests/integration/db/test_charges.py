"""What a failed transfer is charged, and how long a task waits after it or after a fault of ours."""

from threading import Event

import psycopg
import pytest

from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.recorder import Recorder
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import taken
from tests.integration.db.test_leases import read


@pytest.mark.parametrize(("when", "charged"), [("before the claim", 1), ("meanwhile", 0)])
def test_only_a_source_that_came_while_another_was_used_makes_its_failure_free(
    database: TestDatabase, as_role: As, accept: Accept, when: str, charged: int
) -> None:
    accept()
    came = "UPDATE tasks SET sources_added = sources_added + 1"
    if when == "before the claim":
        as_superuser(database, came)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    if when == "meanwhile":
        as_superuser(database, came)
    Recorder(as_role("downloader"), Event()).retry(claim, Reason.TRUNCATED, {}, 5.0, tries=1)
    assert read(database, "SELECT tries FROM tasks") == [(charged,)]


def test_a_wait_for_a_fault_of_ours_ends_before_the_link_does(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    accept(life=100.0)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    Recorder(as_role("downloader"), Event()).release(claim, Reason.STORAGE_FULL, {}, 300.0)
    (seconds,) = read(database, "SELECT extract(epoch FROM urgency - wake_at)::float8 FROM tasks")[0]
    assert seconds == pytest.approx(10, abs=1)


@pytest.mark.parametrize(("seconds", "first"), [(0.0, "stalls"), (20.0, "waits")])
def test_a_try_that_took_long_goes_behind_links_that_end_that_much_later(
    database: TestDatabase, as_role: As, accept: Accept, seconds: float, first: str
) -> None:
    accept(job_id="stalls", life=100.0)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    accept(job_id="waits", life=110.0)
    as_superuser(database, f"UPDATE tasks SET leased_at = leased_at - interval '{seconds} s' WHERE job_id = 'stalls'")
    Recorder(as_role("downloader"), Event()).retry(claim, Reason.STALLED, {}, 0.0, tries=1)
    assert taken(as_role("downloader"), Stage.DOWNLOAD).job_id == first
    ((moved,),) = read(database, "SELECT urgency = ready_at + interval '100 s' FROM tasks WHERE job_id = 'stalls'")
    assert moved, "the alarm for its link comes as early as before"


def test_a_try_that_outlived_its_link_stays_among_those_that_are_tried_last(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    accept(life=100.0)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    as_superuser(database, "UPDATE tasks SET leased_at = leased_at - interval '1 h', urgency = now() - interval '1 s'")
    Recorder(as_role("downloader"), Event()).retry(claim, Reason.STALLED, {}, 0.0, tries=1)
    assert read(database, "SELECT order_by < now() FROM tasks") == [(True,)]


def as_superuser(database: TestDatabase, statement: str) -> None:
    """Past the trigger, which lets no superuser move a task."""
    with psycopg.connect(database.url()) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(statement.encode())
