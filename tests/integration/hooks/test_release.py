"""`outlast release`: a person decides about an output that is held, and nothing else goes past a hold."""

import json
import os
import subprocess
from uuid import UUID

import pytest

from services.verifier.hooks import Opinion
from shared.states import Stage
from shared.tasks.announcing import Results
from tests.conftest import OUTLAST, TestDatabase
from tests.integration.db.moves import taken
from tests.integration.hooks.verifying import Says, Verifying
from tests.media.pictures import picture

HOLD = Says(Opinion(hold=True, flags=("personal_data",)))
WHY = ("--why", "looked at it, see https://h/CANARY?sig=CANARY", "--by", "kim")


def command(database: TestDatabase, name: str, task_id: UUID, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OUTLAST_OPERATOR_DATABASE_URL": database.url("outlast_operator")}
    words = [OUTLAST, name, str(task_id), *options]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def held(verifying: Verifying) -> UUID:
    task_id = verifying.stage(picture())
    verifying.verify(HOLD)
    return task_id


def test_a_released_output_goes_to_the_promoter_as_it_was_proven_with_who_and_why(
    verifying: Verifying, database: TestDatabase, held: UUID
) -> None:
    (before,) = verifying.rows("SELECT h2, kind, facts, verifier_version, verified_at, flags, staged_key FROM tasks")
    done = command(database, "release", held, *WHY)
    assert (done.returncode, done.stdout) == (0, "The task goes on as promoting.\n")
    (after,) = verifying.rows("SELECT h2, kind, facts, verifier_version, verified_at, flags, staged_key FROM tasks")
    assert after == before
    ((role, why, detail),) = verifying.rows("SELECT role, reason, detail FROM history WHERE act = 'released'")
    assert (role, detail) == ("outlast_operator", {"by": "kim"})
    assert why.startswith("looked at it, see https://h/")
    assert "CANARY" not in why
    assert Results().due(verifying.as_role("promoter")) == [], "that it needs attention is no longer told"
    assert taken(verifying.as_role("promoter"), Stage.PROMOTE).flags == ["personal_data"]


def test_a_rejected_output_is_closed_its_bytes_marked_and_no_event_opens_it_again(
    verifying: Verifying, database: TestDatabase, held: UUID
) -> None:
    done = command(database, "release", held, "--reject", *WHY, "--json")
    assert json.loads(done.stdout) == {"task_id": str(held), "state": "abandoned", "flags": ["personal_data"]}
    ((state, reason, marked),) = verifying.rows("SELECT state, reason, rejected_sha256 = h1 FROM tasks")
    assert (state, reason, marked) == ("abandoned", "review_rejected", True)
    assert verifying.rows("SELECT reason FROM rejected") == [("review_rejected",)]
    assert verifying.rows("SELECT count(*) FROM sources") == [(0,)]
    verifying.accept(task_id=held)
    assert verifying.rows("SELECT state FROM tasks") == [("abandoned",)]
    assert verifying.as_role("operator").one("released", task_id=held, why="w", detail={"by": "b"}) is None


def test_a_retry_does_not_go_past_a_hold(verifying: Verifying, database: TestDatabase, held: UUID) -> None:
    done = command(database, "retry", held, "--why", "now")
    assert done.returncode == 2
    assert f"release {held} --why" in done.stderr
    assert verifying.as_role("operator").one("operator_retry", task_id=held, why="now") is None
    assert verifying.rows("SELECT state FROM tasks") == [("needs_attention",)]


def test_only_what_is_held_can_be_released(verifying: Verifying, database: TestDatabase) -> None:
    task_id = verifying.stage(picture())
    done = command(database, "release", task_id, *WHY)
    assert done.returncode == 2
    assert "is verifying: only one that is held_for_review can be released" in done.stderr
