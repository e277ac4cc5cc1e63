"""What people see of jobs that are asked for, and how they have one asked for again."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from services.ingest.silence import Silence
from shared.providers.report import Report, Said
from shared.vault import Vault
from tests.conftest import OUTLAST, TestDatabase
from tests.faults.answers import answer
from tests.faults.canary import CANARY
from tests.integration.broker.polling import eventually
from tests.integration.db.conftest import As
from tests.integration.ingest.polls import FRESH, Api, Polls, done, job_key, job_of, says
from tests.integration.reading.commands import Reader
from tests.system.provider import in_order


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def polls(database: TestDatabase, as_role: As, vault: Vault, tmp_path: Path, api: Api) -> Polls:
    polls = Polls(database, as_role, vault, tmp_path, api.server)
    polls.know(api.entry(tmp_path))
    return polls


def retried(as_role: As, task_id: UUID) -> str:
    row = as_role("operator").one("operator_retry", task_id=task_id, why="looked it up")
    assert row is not None
    return str(row["state"])


def shown(reader: Reader) -> str:
    return " ".join(reader.text("show", "job-7").split())


def test_the_story_of_a_job_has_its_questions(polls: Polls, api: Api, database: TestDatabase) -> None:
    reader = Reader(database)
    api.jobs["job-7"] = in_order(says({"status": f"queued at {FRESH}"}), answer(b"no", status=503), done(FRESH))
    polls.start("job-7")
    assert "acme was asked 0 times; next question " in shown(reader)
    with polls.running():
        eventually(lambda: polls.rows("SELECT last_reason FROM jobs") == [("source_unavailable",)])
    text = shown(reader)
    assert "acme was asked 2 times: HTTP 503, source_unavailable; next question " in text
    polls.until_ended(1)
    text = shown(reader)
    assert "acme was asked 3 times: succeeded; no further question" in text
    (told,) = reader.lines("show", "job-7")
    assert told["jobs"][0]["asked"] == 3
    assert CANARY not in text + str(told)


def test_a_silent_job_is_asked_for_again_when_an_operator_wants_it(polls: Polls, api: Api, as_role: As) -> None:
    polls.start("1", age=100)
    Silence(polls.database, 90.0, 90.0).look()
    assert polls.tasks() == {("1", ""): "provider_silent"}
    api.jobs["1"] = done(FRESH)
    assert retried(as_role, job_key("1")) == "generating"
    assert Silence(polls.database, 90.0, 90.0).look() == 0, "it waits anew"
    polls.until_ended(1, generation_seconds=90.0)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_so_is_one_that_had_no_output(polls: Polls, api: Api, as_role: As) -> None:
    api.jobs["1"] = in_order(done(), done(FRESH))
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", ""): "no_output"}
    assert retried(as_role, job_key("1")) == "generating"
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_one_that_failed_and_fails_again_stops_again(polls: Polls, api: Api, as_role: As) -> None:
    """Its failure came after people were told that it is silent, and is the same event the second time."""
    polls.start("1", age=100)
    Silence(polls.database, 90.0, 90.0).look()
    failed = Report(Said.FAILED, "failed", None, None, None, None, None, (), ())
    now = polls.events.clock.now()
    polls.reported.store(job_of("1"), failed, polls.registry.find("acme"), now)
    assert polls.tasks() == {("1", ""): "provider_failed"}
    assert retried(as_role, job_key("1")) == "generating"
    api.jobs["1"] = says({"status": "failed"})
    polls.until_ended(1)
    assert polls.tasks() == {("1", ""): "provider_failed"}
    assert polls.rows("SELECT state, announce_at IS NULL FROM tasks") == [("needs_attention", False)]


def test_the_command_says_what_comes_of_it(polls: Polls, api: Api, database: TestDatabase) -> None:
    polls.start("1", age=100)
    Silence(polls.database, 90.0, 90.0).look()
    environment = {**os.environ, "OUTLAST_OPERATOR_DATABASE_URL": database.url("outlast_operator")}
    command = [OUTLAST, "retry", str(job_key("1")), "--why", "looked it up"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("The task goes on as generating.\nIts provider is asked for the job again")
