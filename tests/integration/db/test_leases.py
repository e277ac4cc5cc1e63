"""Claims, leases, and what happens to those that lapse."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.errors import LeaseLost
from shared.lanes import Barred
from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.recorder import Recorder
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As, accept_values
from tests.integration.db.moves import claims, complete, stage_bytes, taken


def read(database: TestDatabase, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database.url()) as connection:
        return connection.execute(statement.encode()).fetchall()


def until(condition: object, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come true in time"
        Event().wait(0.05)


def test_the_earliest_deadline_is_claimed_first(as_role: As, accept: Accept) -> None:
    late, early, middle = (accept(life=life, lane=lane) for life, lane in ((900, "a"), (60, "b"), (300, "a")))
    order = [taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(3)]
    assert order == [early, middle, late]


def test_five_short_lives_behind_two_thousand_long_ones_are_claimed_first(as_role: As, accept: Accept) -> None:
    """FR-10 on the level of claims."""
    for number in range(200):
        accept(life=86400.0, lane=f"other/{number % 8:02d}")
    short = {accept(life=60.0, lane="other/03") for _ in range(5)}
    assert {taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(5)} == short


def test_a_task_past_its_deadline_comes_last(as_role: As, accept: Accept) -> None:
    past = accept(life=-10.0)
    alive = accept(life=3600.0)
    assert [taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(2)] == [alive, past]


def test_a_reserved_slot_takes_only_what_is_urgent(as_role: As, accept: Accept) -> None:
    accept(life=3600.0)
    assert claims(as_role("downloader"), Stage.DOWNLOAD).take(urgent_only=True) is None
    urgent = accept(life=200.0)
    claim = claims(as_role("downloader"), Stage.DOWNLOAD).take(urgent_only=True)
    assert claim is not None
    assert claim.task_id == urgent


def test_a_full_lane_is_passed_over(as_role: As, accept: Accept) -> None:
    accept(life=60.0, lane="busy")
    other = accept(life=3600.0, lane="free")
    claim = claims(as_role("downloader"), Stage.DOWNLOAD).take(Barred(lanes=("busy",)))
    assert claim is not None
    assert claim.task_id == other


def test_an_unknown_life_is_ordered_by_the_lives_seen_lately(as_role: As, accept: Accept) -> None:
    accept(life=30.0, provider="p")
    known = accept(life=600.0, provider="p")
    unknown = accept(life=None, provider="p")
    order = [taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(3)]
    assert order[1:] == [unknown, known]


def test_twenty_workers_claim_twenty_tasks_once_each(as_role: As, accept: Accept) -> None:
    tasks = {accept(lane=f"other/{n % 3:02d}") for n in range(20)}

    def work(number: int) -> list[UUID]:
        mine: list[UUID] = []
        own = claims(as_role("downloader"), Stage.DOWNLOAD, worker=f"w{number}")
        while claim := own.take():
            mine.append(claim.task_id)
        return mine

    with ThreadPoolExecutor(20) as pool:
        found = [task for mine in pool.map(work, range(20)) for task in mine]
    assert sorted(map(str, found)) == sorted(map(str, tasks))


def test_a_renewed_lease_lives_and_a_lapsed_one_is_taken_over(as_role: As, accept: Accept) -> None:
    accept()
    own = claims(as_role("downloader"), Stage.DOWNLOAD, lease_seconds=1.0)
    claim = own.take()
    assert claim is not None
    for _ in range(4):
        Event().wait(0.4)
        assert own.renew([claim]) == {claim.lease_id}
        assert own.wake() == 0
    until(lambda: own.wake() == 1)
    assert own.renew([claim]) == frozenset()
    second = own.take()
    assert second is not None
    assert second.epoch == claim.epoch + 1
    assert second.strikes == 1


def test_a_late_worker_moves_no_row(as_role: As, accept: Accept) -> None:
    """Fault 24 on the level of acts: the fencing token of the first worker is worth nothing."""
    accept()
    downloader = as_role("downloader")
    late = taken(downloader, Stage.DOWNLOAD, lease_seconds=0.2)
    until(lambda: claims(downloader, Stage.DOWNLOAD).wake() == 1)
    successor = taken(downloader, Stage.DOWNLOAD)
    assert stage_bytes(downloader, late) is False
    recorder = Recorder(downloader, Event())
    with pytest.raises(LeaseLost):
        recorder.retry(late, Reason.STALLED, {}, 0.0, tries=1)
    with pytest.raises(LeaseLost):
        recorder.give_up(late, Reason.SOURCE_GONE, {})
    with pytest.raises(LeaseLost):
        recorder.release(late, None, {})
    assert stage_bytes(downloader, successor) is True
    assert stage_bytes(downloader, successor) is False


def test_the_third_lapse_in_a_row_is_poison_and_a_report_resets_the_count(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    """Fault 16."""
    accept()
    downloader = as_role("downloader")
    own = claims(downloader, Stage.DOWNLOAD, lease_seconds=0.1)

    def lapse() -> None:
        assert own.take() is not None
        until(lambda: own.wake() == 1)

    lapse()
    lapse()
    claim = own.take()
    assert claim is not None
    Recorder(downloader, Event()).release(claim, None, {})
    lapse()
    lapse()
    assert read(database, "SELECT state FROM tasks") == [("download_retry",)]
    lapse()
    assert read(database, "SELECT state, reason, strikes FROM tasks") == [("needs_attention", "poisoned", 3)]
    assert own.take() is None


def test_one_task_with_a_strike_runs_at_a_time(as_role: As, accept: Accept) -> None:
    for _ in range(2):
        accept()
    own = claims(as_role("downloader"), Stage.DOWNLOAD, lease_seconds=0.1)
    assert own.take() is not None
    assert own.take() is not None
    lapsed = 0
    end = time.monotonic() + 5
    while lapsed < 2 and time.monotonic() < end:
        lapsed += own.wake()
    assert lapsed == 2
    patient = claims(as_role("downloader"), Stage.DOWNLOAD)
    assert patient.take() is not None
    assert patient.take() is None


def test_a_retry_is_claimable_only_when_it_is_due(as_role: As, accept: Accept) -> None:
    accept()
    downloader = as_role("downloader")
    own = claims(downloader, Stage.DOWNLOAD)
    claim = taken(downloader, Stage.DOWNLOAD)
    Recorder(downloader, Event()).retry(claim, Reason.STALLED, {"bytes": 3}, 1.0, tries=1)
    assert own.wake() == 0
    assert own.take() is None
    until(lambda: own.wake() == 1)
    again = own.take()
    assert again is not None
    assert (again.tries, again.strikes) == (1, 0)


def test_a_release_charges_nothing_and_can_be_claimed_at_once(as_role: As, accept: Accept) -> None:
    accept()
    downloader = as_role("downloader")
    Recorder(downloader, Event()).release(taken(downloader, Stage.DOWNLOAD), None, {})
    again = taken(downloader, Stage.DOWNLOAD)
    assert (again.tries, again.strikes, again.epoch) == (0, 0, 2)


def test_every_claim_and_every_change_leaves_its_row(database: TestDatabase, as_role: As, accept: Accept) -> None:
    complete(as_role, accept)
    assert read(database, "SELECT act, from_state, to_state, role FROM history ORDER BY history_id") == [
        ("accept", "new", "output_ready", "outlast_ingest"),
        ("claim", "output_ready", "downloading", "outlast_downloader"),
        ("staged", "downloading", "verifying", "outlast_downloader"),
        ("claim", "verifying", "verifying", "outlast_verifier"),
        ("proven", "verifying", "promoting", "outlast_verifier"),
        ("claim", "promoting", "promoting", "outlast_promoter"),
        ("stored", "promoting", "stored", "outlast_promoter"),
        ("complete", "stored", "complete", "outlast_promoter"),
    ]
    assert read(database, "SELECT stage, outcome FROM claims ORDER BY epoch") == [
        ("download", "staged"),
        ("verify", "proven"),
        ("promote", "complete"),
    ]


def test_the_sources_of_a_complete_task_are_deleted(database: TestDatabase, as_role: As, accept: Accept) -> None:
    complete(as_role, accept)
    assert read(database, "SELECT count(*) FROM sources") == [(0,)]


def test_the_same_event_a_hundred_times_at_once_is_one_task(database: TestDatabase, accept: Accept) -> None:
    """FR-42."""
    task_id = uuid4()
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: accept(task_id=task_id, event_id="same"), range(100)))
    assert read(database, "SELECT count(*) FROM tasks") == [(1,)]
    assert read(database, "SELECT count(*) FROM sources") == [(1,)]
    assert read(database, "SELECT count(*) FROM history") == [(1,)]


def test_a_hundred_different_events_about_one_output_at_once_are_one_task(
    database: TestDatabase, accept: Accept
) -> None:
    """FR-08, FR-42: every delivery has its own id and its own signature."""
    task_id = uuid4()
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda n: accept(task_id=task_id, life=100.0 + n), range(100)))
    assert read(database, "SELECT count(*) FROM tasks") == [(1,)]
    assert read(database, "SELECT count(*) FROM sources") == [(100,)]
    (row,) = read(database, "SELECT url_expires_at - ready_at FROM tasks")
    assert isinstance(row[0], timedelta)
    assert row[0] > timedelta(seconds=150)


def test_a_new_source_reopens_a_task_that_gave_up_and_a_repeat_does_not(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    task_id = accept(event_id="first")
    downloader = as_role("downloader")
    Recorder(downloader, Event()).give_up(taken(downloader, Stage.DOWNLOAD), Reason.SOURCE_GONE, {})
    accept(task_id=task_id, event_id="first")
    assert read(database, "SELECT state, announce_at IS NOT NULL FROM tasks") == [("needs_attention", True)]
    accept(task_id=task_id, event_id="second")
    assert read(database, "SELECT state, reason, tries FROM tasks") == [("output_ready", None, 0)]
    assert taken(downloader, Stage.DOWNLOAD).task_id == task_id


def test_a_repeat_of_a_finished_outputs_event_announces_it_again(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    task_id = complete(as_role, accept)
    promoter = as_role("promoter")
    (due,) = promoter.run("announce")
    assert promoter.run("announce") == []
    assert promoter.run("announced", task_id=task_id, announce_at=due["announce_at"], state="complete")
    assert read(database, "SELECT announce_at FROM tasks") == [(None,)]
    accept(task_id=task_id)
    assert len(promoter.run("announce")) == 1
    assert read(database, "SELECT count(*) FROM sources") == [(0,)]


def test_a_fresh_source_wakes_a_waiting_retry(as_role: As, accept: Accept) -> None:
    task_id = accept(life=60.0)
    downloader = as_role("downloader")
    Recorder(downloader, Event()).retry(taken(downloader, Stage.DOWNLOAD), Reason.STALLED, {}, 600.0, tries=1)
    assert claims(downloader, Stage.DOWNLOAD).take() is None
    accept(task_id=task_id, life=3600.0)
    assert taken(downloader, Stage.DOWNLOAD).task_id == task_id


def test_an_event_id_that_was_used_for_another_output_is_told_and_stores_nothing(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    accept(event_id="same")
    values = accept_values(event_id="same")
    assert as_role("ingest").run("accept", **values)[0]["outcome"] == "id_conflict"
    assert read(database, "SELECT count(*) FROM tasks") == [(1,)]
    assert as_role("ingest").run("accept", **accept_values(event_id="same"))[0]["outcome"] == "id_conflict"


def test_an_operator_sends_a_stopped_task_on_where_its_bytes_still_are(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    task_id = accept()
    downloader, verifier, operator = as_role("downloader"), as_role("verifier"), as_role("operator")
    assert operator.run("operator_retry", task_id=task_id, why="too early") == []
    Recorder(downloader, Event()).give_up(taken(downloader, Stage.DOWNLOAD), Reason.TOO_LARGE, {})
    assert operator.one("operator_retry", task_id=task_id, why="limit raised") == {
        "state": "output_ready",
        "has_source": True,
    }
    stage_bytes(downloader, taken(downloader, Stage.DOWNLOAD))
    Recorder(verifier, Event()).give_up(taken(verifier, Stage.VERIFY), Reason.WRONG_KIND, {"check": "kind"})
    row = operator.one("operator_retry", task_id=task_id, why="it is right")
    assert row is not None
    assert row["state"] == "verifying"
    assert taken(verifier, Stage.VERIFY).task_id == task_id
    assert ("operator_retry", "needs_attention", "verifying", "outlast_operator") in read(
        database, "SELECT act, from_state, to_state, role FROM history"
    )
