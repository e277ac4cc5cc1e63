"""What must not be lost when two things happen at the wrong moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from uuid import uuid4

import psycopg
import pytest

from shared.errors import Failure, Unstorable
from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.announcing import Results
from shared.tasks.recorder import Recorder
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As, accept_values
from tests.integration.db.moves import complete, prove, stage_bytes, store, taken
from tests.integration.db.test_leases import read


def test_a_fresh_link_that_comes_during_the_last_transfer_is_tried(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    task_id = accept()
    downloader = as_role("downloader")
    claim = taken(downloader, Stage.DOWNLOAD)
    accept(task_id=task_id)
    Recorder(downloader, Event()).give_up(claim, Reason.TLS_INVALID, {})
    assert read(database, "SELECT state, announce_at FROM tasks") == [("download_retry", None)]
    Recorder(downloader, Event()).give_up(taken(downloader, Stage.DOWNLOAD), Reason.TLS_INVALID, {})
    assert read(database, "SELECT state FROM tasks") == [("needs_attention",)]


def test_no_fresh_link_is_overlooked_however_it_races_with_giving_up(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    downloader = as_role("downloader")
    tasks = [accept() for _ in range(40)]
    claims = [taken(downloader, Stage.DOWNLOAD) for _ in tasks]
    recorder = Recorder(downloader, Event())

    def both(number: int) -> None:
        claim = claims[number // 2]
        if number % 2:
            recorder.give_up(claim, Reason.SOURCE_GONE, {})
        else:
            accept(task_id=claim.task_id)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(both, range(2 * len(claims))))
    assert read(database, "SELECT count(*) FROM tasks WHERE state = 'needs_attention'") == [(0,)]
    assert read(database, "SELECT count(*) FROM sources") == [(80,)]


def test_a_link_that_is_said_to_live_for_ever_is_claimed(as_role: As, accept: Accept) -> None:
    end = datetime(9999, 12, 31, tzinfo=UTC)
    task_id = accept(url_expires_at=end, deadline=end)
    assert taken(as_role("downloader"), Stage.DOWNLOAD).task_id == task_id


def test_one_odd_link_does_not_push_unknown_lives_past_their_time(as_role: As, accept: Accept) -> None:
    accept(life=0.001, provider="p", task_id=uuid4())
    unknown = accept(life=None, provider="p")
    other = accept(life=3600.0, provider="q")
    order = [taken(as_role("downloader"), Stage.DOWNLOAD).task_id for _ in range(2)]
    assert order == [unknown, other]


def test_tasks_past_their_time_get_a_turn_among_live_ones(as_role: As, accept: Accept) -> None:
    from tests.integration.db.moves import claims

    past = accept(life=-10.0)
    for _ in range(8):
        accept(life=3600.0)
    own = claims(as_role("downloader"), Stage.DOWNLOAD)
    order = [claim.task_id for claim in (own.take() for _ in range(6)) if claim]
    assert past in order[1:5]


def test_a_staging_object_that_is_lost_again_and_again_is_counted(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    claim = taken(as_role("verifier"), Stage.VERIFY)
    Recorder(as_role("verifier"), Event()).record(claim, "staging_lost", reason="staging_lost", evidence={})
    assert read(database, "SELECT state, verifications, staged_key FROM tasks") == [("download_retry", 1, None)]


def test_an_answer_that_was_lost_after_the_commit_is_taken_for_what_it_was(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    """A cut connection hides that the record was made; the second try finds it by the lease."""
    accept()
    downloader = as_role("downloader")
    claim = taken(downloader, Stage.DOWNLOAD)

    class CutOnce:
        def __init__(self) -> None:
            self.cut = False

        def one(self, name: str, **values: object) -> object:
            row = downloader.one(name, **values)
            if name == "retry" and not self.cut:
                self.cut = True
                raise Failure(Reason.DATABASE)
            return row

    Recorder(CutOnce(), Event()).retry(claim, Reason.STALLED, {}, 1.0, tries=1)  # type: ignore[arg-type]
    assert read(database, "SELECT state, tries FROM tasks") == [("download_retry", 1)]


def test_a_refresh_recorded_twice_is_one_source(database: TestDatabase, as_role: As, accept: Accept) -> None:
    accept()
    downloader = as_role("downloader")
    claim = taken(downloader, Stage.DOWNLOAD)
    values = {
        "source_id": uuid4(),
        "sealed": b"x",
        "host": "h",
        "path_sha256": "0" * 64,
        "issued_at": None,
        "expires_at": datetime.now(UTC) + timedelta(hours=1),
        "expires_from": "s3_v4",
        "confidence": "stated",
        "deadline": None,
        "life_seconds": 3600.0,
        "life_is_sure": True,
        "counted_as": "generic",
    }
    for _ in range(2):
        assert downloader.run("refreshed", **claim.token, **values)
    assert read(database, "SELECT count(*) FROM sources") == [(2,)]


def test_values_that_no_database_takes_are_told_apart_from_a_database_that_is_away(as_role: As) -> None:
    with pytest.raises(Unstorable):
        as_role("ingest").run("accept", **accept_values(job_id="a\x00b"))


def test_a_table_that_is_missing_is_a_database_that_is_away(database: TestDatabase, as_role: As) -> None:
    ingest = as_role("ingest")
    with psycopg.connect(database.url()) as connection:
        connection.execute("ALTER TABLE alembic_version RENAME TO elsewhere")
    with pytest.raises(Failure):
        ingest.check()
    with psycopg.connect(database.url()) as connection:
        connection.execute("ALTER TABLE elsewhere RENAME TO alembic_version")
    ingest.check()


@pytest.mark.parametrize("act", ["proven", "stored", "complete", "rejected"])
def test_a_worker_without_the_lease_proves_stores_and_rejects_nothing(
    database: TestDatabase, as_role: As, accept: Accept, act: str
) -> None:
    from dataclasses import replace

    accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    claim = taken(as_role("verifier"), Stage.VERIFY)
    thief = replace(claim, lease_id=uuid4())
    if act == "rejected":
        assert not as_role("verifier").run("rejected", **thief.token, reason="not_media", evidence={}, keep_seconds=9)
        assert not as_role("verifier").run(
            "rejected", **replace(claim, epoch=claim.epoch - 1).token, reason="not_media", evidence={}, keep_seconds=9
        )
        return
    assert not prove(as_role("verifier"), thief)
    prove(as_role("verifier"), claim)
    claim = taken(as_role("promoter"), Stage.PROMOTE)
    assert not store(as_role("promoter"), replace(claim, lease_id=uuid4()))
    assert store(as_role("promoter"), claim)
    stored = {**claim.token, "from_state": "stored"}
    assert not as_role("promoter").run("complete", **{**stored, "lease_id": uuid4()}, evidence={})
    assert as_role("promoter").run("complete", **stored, evidence={})


def test_an_announcement_that_was_not_sent_stays_due(database: TestDatabase, as_role: As, accept: Accept) -> None:
    complete(as_role, accept)
    promoter = as_role("promoter")
    (row,) = Results().due(promoter)
    assert read(database, "SELECT announced_at, announce_at > now() FROM tasks") == [(None, True)]
    Results().close(promoter, row)
    assert read(database, "SELECT announced_at IS NOT NULL, announce_at FROM tasks") == [(True, None)]
