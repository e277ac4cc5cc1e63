"""The sweeper deletes what lost and what is over, a grace time ago, and nothing that anybody may still need."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import errors

from outlast.custody.sweep import Step
from shared.reasons import Reason
from tests.conftest import TestDatabase
from tests.integration.custody.conftest import Command
from tests.integration.custody.sweeping import BODY, Sweeping, sweeping, told, unknown_key
from tests.integration.db.conftest import As

__all__ = ["sweeping"]

NINETY = timedelta(days=90)


def test_the_bytes_of_a_claim_that_lost_go_when_it_ended_a_grace_time_ago(
    database: TestDatabase, sweeping: Sweeping
) -> None:
    claim, first = sweeping.claimed()
    sweeping.retried(claim)
    again, second = sweeping.again()
    sweeping.staged(again, second)
    assert sweeping.sweep(later=timedelta(hours=23)) == []
    assert told(sweeping.sweep()) == {("deleted", "superseded"): 1}
    assert sweeping.held() == {second}
    assert sweeping.sweep() == [], "nothing is left for the next"
    with psycopg.connect(database.url()) as connection:
        log = connection.execute("SELECT task_id, epoch, key, size, why, deleted_at IS NOT NULL FROM swept").fetchall()
    assert log == [(claim.task_id, 1, first, len(BODY), "superseded", True)]


def test_no_age_makes_bytes_go_that_a_task_waits_with_or_that_a_claim_still_writes(sweeping: Sweeping) -> None:
    running, writes = sweeping.claimed()
    verifying, waits = sweeping.claimed()
    assert running.lease_id
    sweeping.staged(verifying, waits)
    promoting, proven = sweeping.claimed()
    sweeping.proven(sweeping.staged(promoting, proven))
    held, stopped = sweeping.claimed()
    claim = sweeping.staged(held, stopped)
    values = {"reason": str(Reason.NOT_MEDIA), "evidence": {}, "to_state": "needs_attention", "sources_added": 0}
    assert sweeping.as_role("verifier").run("give_up", **claim.token, **values)
    assert told(sweeping.sweep(later=NINETY)) == {}
    assert sweeping.held() == {writes, waits, proven, stopped}


def test_the_bytes_of_a_task_that_is_complete_go_after_the_grace_time_and_its_asset_stays(sweeping: Sweeping) -> None:
    claim, key = sweeping.claimed()
    asset = sweeping.completed(sweeping.proven(sweeping.staged(claim, key)))
    sweeping.put(f"{asset}.outlast.json", sweeping.assets)
    assert sweeping.sweep(later=timedelta(hours=23)) == []
    assert told(sweeping.sweep()) == {("deleted", "closed"): 1}
    assert sweeping.held() == set()
    assert sweeping.store.stat(sweeping.assets, asset) is not None


def test_the_bytes_of_a_task_that_an_operator_abandoned_go_after_the_grace_time(
    database: TestDatabase, sweeping: Sweeping
) -> None:
    claim, key = sweeping.claimed()
    verify = sweeping.staged(claim, key)
    values = {"reason": "not_media", "evidence": {}, "to_state": "needs_attention", "sources_added": 0}
    assert sweeping.as_role("verifier").run("give_up", **verify.token, **values)
    with psycopg.connect(database.url("outlast_operator")) as connection:
        connection.execute("UPDATE tasks SET state = 'abandoned'")
    assert sweeping.sweep(later=timedelta(hours=23)) == []
    assert told(sweeping.sweep()) == {("deleted", "closed"): 1}
    assert sweeping.held() == set()


def test_what_the_database_does_not_know_is_told_and_goes_only_when_that_is_wished(sweeping: Sweeping) -> None:
    claim, _ = sweeping.claimed()
    strange = {sweeping.put(unknown_key(uuid4())), sweeping.put("staging/readme.txt")}
    forgotten = {sweeping.put(unknown_key(claim.task_id, epoch=epoch)) for epoch in (1, 9)}
    words = {("unowned", "unknown"): 1, ("unowned", "no staging key"): 1, ("unowned", "no claim"): 2}
    assert told(sweeping.sweep()) == words
    assert strange | forgotten <= sweeping.held()
    assert sweeping.sweep(later=timedelta(hours=1), unknown=True) == []
    assert told(sweeping.sweep(unknown=True))["deleted", "unknown"] == 1
    assert forgotten <= sweeping.held(), "the database was set back: this may be the only copy"
    assert "staging/readme.txt" in sweeping.held()


def test_bytes_of_a_claim_that_the_database_lost_stay_as_long_as_their_task_may_need_them(
    database: TestDatabase, sweeping: Sweeping
) -> None:
    """Its epoch was given again after the database was set back, to another lease, which is over."""
    claim, _ = sweeping.claimed()
    foreign = sweeping.put(unknown_key(claim.task_id, epoch=1))
    sweeping.retried(claim)
    assert told(sweeping.sweep(later=NINETY)) == {("deleted", "superseded"): 1, ("unowned", "no claim"): 1}
    with psycopg.connect(database.url("outlast_operator")) as connection:
        connection.execute("UPDATE tasks SET state = 'abandoned'")
    assert foreign in sweeping.held()
    assert told(sweeping.sweep(later=NINETY)) == {("deleted", "superseded"): 1}
    assert foreign not in sweeping.held()


def test_refused_bytes_go_when_their_time_is_over_and_the_history_says_so(
    database: TestDatabase, sweeping: Sweeping
) -> None:
    claim, key = sweeping.claimed()
    verify = sweeping.staged(claim, key)
    values = {"reason": "not_media", "evidence": {}, "keep_seconds": 30 * 86400.0}
    assert sweeping.as_role("verifier").run("rejected", **verify.token, **values)
    assert sweeping.sweep(later=timedelta(days=29)) == []
    assert told(sweeping.sweep(later=timedelta(days=31), dry_run=True), Step.REJECTED) == {
        ("would_go", "its time is over"): 1
    }
    assert told(sweeping.sweep(later=timedelta(days=31)), Step.REJECTED) == {("deleted", "its time is over"): 1}
    assert sweeping.held() == set()
    with psycopg.connect(database.url()) as connection:
        row = connection.execute("SELECT reason, detail ->> 'by', role FROM history WHERE act = 'purged'").fetchone()
    assert row == ("its time is over", "sweeper", "outlast_sweeper")


def test_uploads_of_claims_that_are_over_are_aborted_and_no_other(sweeping: Sweeping) -> None:
    store, ids = sweeping.store, []
    for number in range(2):
        claim, key = sweeping.claimed()
        ids.append(store._wire.quick._create_multipart_upload(sweeping.staging, key, {}))
        assert sweeping.as_role("downloader").run("uploading", **claim.token, key=key, upload_id=ids[number])
        if number == 0:
            sweeping.retried(claim)
            taken_again, _ = sweeping.again()
            assert taken_again.epoch == 2
        else:
            running = key
    assert told(sweeping.sweep(later=timedelta(hours=1)), Step.UPLOADS) == {}
    assert told(sweeping.sweep(), Step.UPLOADS) == {("deleted", "its claim is over"): 1}
    assert told(sweeping.sweep(), Step.UPLOADS) == {}
    assert store.abort(sweeping.staging, running, ids[1]), "the running claim's is there"


def test_links_of_tasks_that_are_over_or_stopped_for_long_are_deleted(
    database: TestDatabase, sweeping: Sweeping
) -> None:
    waiting = sweeping.accept(life=60.0)
    claim, _ = sweeping.claimed(life=30.0)
    values = {"reason": "url_expired", "evidence": {}, "to_state": "needs_attention", "sources_added": 0}
    assert sweeping.as_role("downloader").run("give_up", **claim.token, **values)
    assert told(sweeping.sweep(later=timedelta(days=6)), Step.SOURCES) == {}
    assert told(sweeping.sweep(later=timedelta(days=8)), Step.SOURCES) == {("deleted", "its time is over"): 1}
    with psycopg.connect(database.url()) as connection:
        left = connection.execute("SELECT task_id FROM sources").fetchall()
        row = connection.execute("SELECT task_id, detail FROM history WHERE act = 'forget_sources'").fetchone()
    assert left == [(waiting,)]
    assert row == (claim.task_id, {"sources": 1})


def test_objects_among_the_assets_that_no_row_owns_are_told_and_stay(sweeping: Sweeping) -> None:
    claim, key = sweeping.claimed()
    asset = sweeping.completed(sweeping.proven(sweeping.staged(claim, key)))
    stray = sweeping.put("image/stray.png", sweeping.assets)
    facts = sweeping.put("image/stray.png.outlast.json", sweeping.assets)
    found = [one for one in sweeping.sweep() if one.step is Step.ASSETS]
    assert {(one.name, one.why) for one in found} == {(stray, "no asset"), (facts, "no asset")}
    assert {one.key for one in sweeping.store.listed(sweeping.assets)} == {asset, stray, facts}


def test_what_is_needed_is_not_begun_and_what_is_begun_is_not_resumed(
    database: TestDatabase, as_role: As, sweeping: Sweeping
) -> None:
    claim, key = sweeping.claimed()
    verify = sweeping.staged(claim, key)
    give_up = {"evidence": {}, "sources_added": 0, "reason": "not_media", "to_state": "needs_attention"}
    assert as_role("verifier").run("give_up", **verify.token, **give_up)
    begun = {"bucket": sweeping.staging, "over_before": sweeping.ground().now, "keys": [key], "versions": [""]}
    named = {
        "task_ids": [claim.task_id],
        "epochs": [1],
        "lease_ids": [claim.lease_id],
        "sizes": [1],
        "unknown": False,
        "began_at": sweeping.ground().now,
    }
    as_role("sweeper").run("sweeping", **begun, **named)
    assert as_role("sweeper").run("sweep_begun", bucket=sweeping.staging, after=0, limit=9) == [], "it is needed"
    with psycopg.connect(database.url("outlast_sweeper")) as connection:
        columns = "(task_id, epoch, bucket, key, version_id, size, why)"
        row = (claim.task_id, 1, sweeping.staging, key, "", 1, "closed")
        connection.execute(f"INSERT INTO swept {columns} VALUES (%s, %s, %s, %s, %s, %s, %s)".encode(), row)
    retried = as_role("operator").one("operator_retry", task_id=claim.task_id, why="again")
    assert retried is not None
    assert retried["state"] == "output_ready"


def test_the_sweeper_may_change_no_task(database: TestDatabase, sweeping: Sweeping) -> None:
    sweeping.accept()
    for statement in (
        b"UPDATE tasks SET task_id = task_id",
        b"UPDATE tasks SET staged_key = NULL",
        b"DELETE FROM tasks",
        b"SELECT sealed FROM sources",
        b"DELETE FROM swept",
        b"UPDATE assets SET status = 'placing'",
    ):
        url = database.url("outlast_sweeper")
        with psycopg.connect(url) as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement)


def test_the_command_tells_what_would_go_and_then_what_went(
    database: TestDatabase, sweeping: Sweeping, command: Command
) -> None:
    claim, key = sweeping.claimed()
    sweeping.retried(claim)
    kept = {"kept": {"count": 1, "bytes": len(BODY)}}
    command.variables.update(
        OUTLAST_SWEEPER_DATABASE_URL=database.url("outlast_sweeper"),
        OUTLAST_STAGING_BUCKET=sweeping.staging,
        OUTLAST_ASSETS_BUCKET=sweeping.assets,
    )
    words = ("sweep", "--now", sweeping.ground().now.isoformat())
    assert command.lines("sweep") == [{"end": {"staging": kept}, "dry_run": False}]
    assert key in command.text(*words, "--dry-run")
    assert sweeping.held() == {key}
    assert "1 kept" in command.text(*words, "--grace", "3d")
    named, end = command.lines(*words)
    assert named == {"step": "staging", "fate": "deleted", "name": key, "bytes": len(BODY), "why": "superseded"}
    assert end["end"] == {"staging": {"deleted": {"count": 1, "bytes": len(BODY)}}}
    assert UUID(key.split("/")[1]) == claim.task_id
