"""`outlast retry`: an operator sends a stopped task on, and is told what will come of it."""

import json
import os
import subprocess
from collections.abc import Callable
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.reasons import Reason
from shared.states import Stage
from tests.conftest import OUTLAST, TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import stage_bytes, taken

Retry = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def retry(database: TestDatabase) -> Retry:
    environment = {**os.environ, "OUTLAST_OPERATOR_DATABASE_URL": database.url("outlast_operator")}

    def run(task_id: UUID, *options: str) -> subprocess.CompletedProcess[str]:
        command = [OUTLAST, "retry", str(task_id), "--why", "key renewed, see https://h/CANARY?sig=CANARY", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    return run


def stop(as_role: As, role: str, stage: Stage) -> None:
    claim = taken(as_role(role), stage)
    values = {"to_state": "needs_attention", "reason": str(Reason.CREDENTIAL_REFUSED), "evidence": {}}
    assert as_role(role).run("give_up", **claim.token, **values, sources_added=claim.sources_added)


def test_a_task_without_bytes_begins_again_and_the_words_are_kept_without_any_link(
    database: TestDatabase, as_role: As, accept: Accept, retry: Retry
) -> None:
    task_id = accept()
    stop(as_role, "downloader", Stage.DOWNLOAD)
    done = retry(task_id)
    assert (done.returncode, done.stdout) == (0, "The task goes on as output_ready.\n")
    assert taken(as_role("downloader"), Stage.DOWNLOAD).task_id == task_id
    with psycopg.connect(database.url()) as connection:
        noted = connection.execute("SELECT role, reason FROM history WHERE act = 'operator_retry'").fetchall()
    ((role, why),) = noted
    assert role == "outlast_operator"
    assert why.startswith("key renewed, see https://h/")
    assert "CANARY" not in why


def test_as_json_it_tells_where_the_task_stands_and_whether_a_link_is_left(
    as_role: As, accept: Accept, retry: Retry
) -> None:
    task_id = accept()
    stop(as_role, "downloader", Stage.DOWNLOAD)
    told = {"task_id": str(task_id), "state": "output_ready", "has_source": True}
    assert json.loads(retry(task_id, "--json").stdout) == told


def test_a_task_with_bytes_goes_on_at_the_stage_that_needs_them(as_role: As, accept: Accept, retry: Retry) -> None:
    task_id = accept()
    assert stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    stop(as_role, "verifier", Stage.VERIFY)
    assert retry(task_id).stdout == "The task goes on as verifying.\n"


def test_a_task_whose_link_is_dead_is_said_to_stop_again(as_role: As, accept: Accept, retry: Retry) -> None:
    task_id = accept(life=-5.0)
    stop(as_role, "downloader", Stage.DOWNLOAD)
    told = retry(task_id).stdout
    assert "it will stop again" in told
    assert f"publish --url - --account studio --provider generic --job {task_id} --output 0" in told


def test_what_cannot_be_sent_on_is_said_in_one_sentence(accept: Accept, retry: Retry) -> None:
    unknown, waiting = retry(uuid4()), retry(accept())
    assert (unknown.returncode, waiting.returncode) == (2, 2)
    assert unknown.stderr.startswith("outlast: No task has the id")
    assert "is output_ready: only one that is needs_attention can be sent on" in waiting.stderr
