"""What is asked for, what was said of it before, and what its outputs take from that."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.ingest.events import Outcome
from shared.states import Stage
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As
from tests.integration.db.moves import taken
from tests.integration.ingest.polls import FRESH, Api, Polls, done, says


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def polls(database: TestDatabase, as_role: As, vault: Vault, tmp_path: Path, api: Api) -> Polls:
    return Polls(database, as_role, vault, tmp_path, api.server)


def test_every_output_of_a_job_has_what_was_said_of_it_when_it_started(
    polls: Polls, api: Api, tmp_path: Path, as_role: As
) -> None:
    polls.know(api.entry(tmp_path, model="model"))
    api.jobs["1"] = done(FRESH, FRESH + "&n=2", model="m-2")
    said: dict[str, Any] = {
        "operation_id": "op-7",
        "kind": "image",
        "expected": {"width": 64, "size": 9},
        "provenance": {"prompt": "rain"},
    }
    polls.start("1", **said)
    polls.until_ended(1)
    columns = "operation_id, promised_kind, provenance ->> 'prompt', provenance ->> 'model', expected -> 'width'"
    assert polls.rows(f"SELECT {columns} FROM tasks") == [("op-7", "image", "rain", "m-2", 64)] * 2
    assert polls.rows("SELECT expected -> 'size' FROM tasks WHERE output_id = '1'") == [(None,)]
    assert taken(as_role("downloader"), Stage.DOWNLOAD).model == "m-2"


def test_a_model_has_its_own_way_to_be_asked(polls: Polls, api: Api, tmp_path: Path) -> None:
    special = api.entry(tmp_path, url="/special/{job_id}", done=["over"])
    polls.know(api.entry(tmp_path), of_models=[("special-*", special)])
    api.jobs |= {"1": done(FRESH), "2": says({"status": "over", "outputs": [{"url": FRESH}]})}
    polls.start("1", provenance={"model": "usual-1"})
    polls.start("2", provenance={"model": "special-1"})
    polls.until_ended(2)
    assert sorted(request.target for request in api.server.requests) == ["/jobs/1", "/special/2"]
    assert set(polls.tasks().values()) == {"output_ready"}


def test_an_event_that_is_refused_starts_no_questions(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    polls.start("1", event_id="same")
    assert polls.say("generation.started", job_id="2", event_id="same").outcome is Outcome.ID_CONFLICT
    assert polls.rows("SELECT job_id FROM jobs") == [("1",)]


def test_a_provider_without_an_entry_is_not_asked(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, "generic"))
    polls.start("1", provider="unheard-of", record_url=api.server.url("/jobs/1"))
    assert polls.rows("SELECT due_at FROM jobs") == [(None,)]


def test_a_report_that_comes_again_announces_nothing_again(polls: Polls, api: Api, tmp_path: Path, as_role: As) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = done(FRESH)
    polls.start("1")
    polls.until_ended(1)
    give_up = {"to_state": "needs_attention", "reason": "source_gone", "evidence": {}}
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    assert as_role("downloader").run("give_up", **claim.token, sources_added=claim.sources_added, **give_up)
    polls.change("ALTER TABLE tasks DISABLE TRIGGER tasks_edges; UPDATE tasks SET announce_at = NULL")
    polls.change("ALTER TABLE tasks ENABLE TRIGGER tasks_edges")
    polls.change("UPDATE jobs SET reported_at = NULL, due_at = now()")
    polls.until_ended(1)
    assert api.asked() == 2
    assert polls.rows("SELECT reason, announce_at FROM tasks") == [("source_gone", None)]
