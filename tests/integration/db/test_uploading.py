"""The multipart upload of a running claim is named in the database, under the claim's token."""

from dataclasses import replace
from threading import Event
from uuid import uuid4

import pytest

from shared.db import Database
from shared.errors import Failure, LeaseLost
from shared.reasons import Reason
from shared.states import Stage, State
from shared.tasks.recorder import Recorder
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import stage_bytes, taken
from tests.integration.db.test_leases import read

NAMED = "SELECT epoch, staging_key, upload_id, ended_at IS NULL FROM claims ORDER BY epoch"


def test_a_claim_names_its_upload_and_nothing_else_changes(database: TestDatabase, as_role: As, accept: Accept) -> None:
    accept()
    recorder, claim = Recorder(as_role("downloader"), Event()), taken(as_role("downloader"), Stage.DOWNLOAD)
    before = read(database, "SELECT * FROM tasks"), read(database, "SELECT * FROM history")
    recorder.note(claim, "uploading", key="staging/k", upload_id="u1")
    recorder.note(claim, "uploading", key="staging/k", upload_id="u1")
    assert read(database, NAMED) == [(1, "staging/k", "u1", True)]
    assert (read(database, "SELECT * FROM tasks"), read(database, "SELECT * FROM history")) == before
    assert stage_bytes(as_role("downloader"), claim)


def test_only_the_claim_that_holds_the_lease_names_its_upload(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    accept()
    recorder, first = Recorder(as_role("downloader"), Event()), taken(as_role("downloader"), Stage.DOWNLOAD)
    recorder.release(first, None, {})
    with pytest.raises(LeaseLost):
        recorder.note(first, "uploading", key="k1", upload_id="u1")
    second = taken(as_role("downloader"), Stage.DOWNLOAD)
    for stranger in (
        first,
        replace(second, lease_id=first.lease_id),
        replace(second, epoch=first.epoch),
        replace(second, task_id=uuid4()),
        replace(second, state=State.VERIFYING),
    ):
        with pytest.raises(LeaseLost):
            recorder.note(stranger, "uploading", key="k1", upload_id="u1")
    recorder.note(second, "uploading", key="k2", upload_id="u2")
    assert [row[:3] for row in read(database, NAMED)] == [(1, None, None), (2, "k2", "u2")]


def test_the_upload_of_one_task_is_named_at_no_other(database: TestDatabase, as_role: As, accept: Accept) -> None:
    mine = accept(life=60.0)
    accept(life=3600.0)
    downloader = as_role("downloader")
    claim, _ = taken(downloader, Stage.DOWNLOAD), taken(downloader, Stage.DOWNLOAD)
    Recorder(downloader, Event()).note(claim, "uploading", key="k", upload_id="u")
    assert claim.task_id == mine
    named = read(database, "SELECT task_id, upload_id FROM claims ORDER BY upload_id NULLS LAST")
    assert [named[0], named[1][1]] == [(mine, "u"), None]


def test_a_database_that_is_away_is_told_at_once_and_not_waited_for(as_role: As, accept: Accept) -> None:
    accept()
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    away = Database("postgresql://nobody@127.0.0.1:1/none", connections=1)
    try:
        with pytest.raises(Failure) as caught:
            Recorder(away, Event()).note(claim, "uploading", key="k", upload_id="u")
    finally:
        away.close()
    assert caught.value.reason is Reason.DATABASE
