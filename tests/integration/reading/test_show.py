"""`outlast show`: the whole story of one capture, and nothing that a reader must not see."""

import json
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.db import Database
from shared.db.story import read_story
from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import complete, taken
from tests.integration.reading.commands import Reader


def fail_once(downloader: Database, **evidence: Any) -> UUID:
    """A transfer that the source refuses; returns its lease."""
    claim = taken(downloader, Stage.DOWNLOAD)
    values = {"reason": "source_unavailable", "delay_seconds": 0.0, "tries": 1, "evidence": {"status": 503, **evidence}}
    assert downloader.run("retry", **claim.token, sources_added=claim.sources_added, **values)
    lease_id: UUID = claim.lease_id
    return lease_id


def test_the_story_tells_events_link_claims_and_outcomes_in_order_of_time(
    as_role: As, accept: Accept, reader: Reader
) -> None:
    task_id = accept(event_id="event-1", job_id="job-42", host="cdn.example")
    fail_once(
        as_role("downloader"), hops=[{"host": "cdn.example", "status": 302}, {"host": "m.example", "status": 503}]
    )
    text = reader.text("show", "job-42")
    assert str(task_id) in text
    assert "source_unavailable" in text
    story = text[text.index("Story") :]
    places = [
        story.index(words)
        for words in (
            "event output.ready event-1 of tests",
            "accept → output_ready",
            "link to cdn.example from the ingest; ends ",
            "claim 1 → downloading: download by w",
            "retry → download_retry: source_unavailable, after ",
            "hops: cdn.example 302, m.example 503; status: 503",
        )
    ]
    assert places == sorted(places)
    assert max(map(len, story.splitlines())) <= 80


def test_the_way_of_a_complete_asset_is_told_to_its_end(as_role: As, accept: Accept, reader: Reader) -> None:
    task_id = complete(as_role, accept)
    (told,) = reader.lines("show", str(task_id)[:8])
    assert told["state"] == "complete"
    assert told["durable_uri"] == f"s3://assets/{task_id}"
    acts = [(act["act"], act["to_state"]) for act in told["history"]]
    assert acts[0] == ("accept", "output_ready")
    assert acts[-2:] == [("stored", "stored"), ("complete", "complete")]
    outcomes = [(claim["stage"], claim["outcome"]) for claim in told["claims"]]
    assert outcomes == [("download", "staged"), ("verify", "proven"), ("promote", "complete")]
    assert told["sources"] == [], "no link is left of it"
    assert "complete" in reader.text("show", str(task_id)).splitlines()[-1]


def test_neither_a_lease_nor_a_link_is_shown(as_role: As, accept: Accept, reader: Reader) -> None:
    task_id = accept(sealed=b"CANARY-sealed")
    lease_id = fail_once(as_role("downloader"))
    for told in (reader.text("show", str(task_id)), reader.text("show", str(task_id), "--json")):
        assert "CANARY" not in told
        assert str(lease_id) not in told


def test_no_view_of_readers_has_a_lease_a_link_or_a_staging_key(database: TestDatabase) -> None:
    with psycopg.connect(database.url("outlast_reader")) as connection:
        columns = connection.execute(
            "SELECT table_name || '.' || column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
        ).fetchall()
    seen = {column for (column,) in columns}
    assert {"public_claims.evidence", "public_history.act", "public_sources.host", "public_tasks.state"} <= seen
    forbidden = ("lease_id", "sealed", "staging_key", "staged_key", "upload_id", "path_sha256", "body_sha256")
    assert [column for column in seen if column.partition(".")[2] in forbidden] == []


@pytest.mark.parametrize("table", ["tasks", "claims", "history", "sources", "events", "assets"])
def test_the_tables_themselves_are_closed_to_readers(database: TestDatabase, table: str) -> None:
    with (
        psycopg.connect(database.url("outlast_reader")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(f"SELECT 1 FROM {table}".encode())


def test_all_tasks_of_a_job_are_listed(accept: Accept, reader: Reader) -> None:
    made = [accept(job_id="job-7", output_id=str(number)) for number in range(3)]
    text = reader.text("show", "job-7")
    assert [line[:36] for line in text.splitlines()[1:]] == [str(task_id) for task_id in reversed(made)]
    assert [told["output_id"] for told in reader.lines("show", "job-7")] == ["2", "1", "0"]


def test_what_is_not_known_is_said_to_be_so_with_another_exit_code(reader: Reader) -> None:
    assert "No task, job or operation is called nothing" in reader.text("show", "nothing", code=1)
    assert reader.lines("show", "nothing", code=1) == [{"id": "nothing", "state": None}]


def test_a_producer_finds_its_output_by_the_id_that_it_computed(
    database: TestDatabase, as_role: As, accept: Accept, reader: Reader
) -> None:
    task_id, computed = accept(), uuid4()
    with psycopg.connect(database.url("outlast_ingest")) as connection:
        connection.execute("INSERT INTO aliases (alias_id, task_id) VALUES (%s, %s)", (computed, task_id))
    (told,) = reader.lines("show", str(computed))
    assert told["task_id"] == str(task_id)
    assert as_role("reader").one("public_task", task_id=computed)


def test_a_long_story_is_cut_for_a_person_and_whole_as_json(as_role: As, accept: Accept, reader: Reader) -> None:
    task_id = accept()
    for number in range(70):
        fail_once(as_role("downloader"), number=number)
    text = reader.text("show", str(task_id))
    assert "Earlier acts are left out here; --json holds all." in text
    assert "number: 69" in text
    assert "number: 0;" not in text
    (told,) = reader.lines("show", str(task_id))
    assert [claim["evidence"]["number"] for claim in told["claims"]] == list(range(70))
    assert len(told["history"]) == 141


def test_a_story_longer_than_a_page_of_reads_is_whole(
    as_role: As, accept: Accept, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = accept()
    for _ in range(9):
        fail_once(as_role("downloader"))
    monkeypatch.setattr("shared.db.story.PAGE", 4)
    story = read_story(as_role("reader"), task_id)
    assert [claim.epoch for claim in story.claims] == list(range(1, 10))
    assert len(story.history) == 19
    assert [claim.epoch for claim in read_story(as_role("reader"), task_id, most=6).claims] == [4, 5, 6, 7, 8, 9]


def test_names_from_outside_cannot_steer_the_terminal(accept: Accept, reader: Reader) -> None:
    accept(job_id="job\x1b[31m[red]", source="[bold]\x1b]0;title", event_id="\x9b31m")
    accept(job_id="job\x1b[31m[red]", output_id="1")
    for text in (reader.text("show", "job\x1b[31m[red]"), reader.text("list"), reader.text("show", _only(reader))):
        assert "\x1b" not in text
        assert "\x9b" not in text
    assert "job?[31m[red]" in reader.text("list")


def _only(reader: Reader) -> str:
    task_id: str = json.loads(reader.text("list", "--json").splitlines()[-1])["task_id"]
    return task_id
