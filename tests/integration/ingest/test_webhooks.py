"""Webhooks before a real database: what is stored, what is only asked for, and that repeats change nothing."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from structlog.testing import capture_logs

from services.ingest.events import Events
from services.ingest.reported import Job
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.faults.canary import CANARY, tells
from tests.faults.ears import nothing_is_logged
from tests.integration.db.conftest import As
from tests.integration.ingest.conftest import Say, See
from tests.integration.ingest.doorway import Doorway, entries, open_doorway, record
from tests.system.conftest import until

__all__ = ["nothing_is_logged"]

TASKS = "SELECT job_id, output_id, state FROM tasks ORDER BY job_id, output_id"


@pytest.fixture
def events(as_role: As, vault: Vault, woken: list[UUID], tmp_path: Path) -> Events:
    return Events(as_role("ingest"), vault, entries(tmp_path), woken.append)


@pytest.fixture
def doorway(as_role: As, events: Events, tmp_path: Path) -> Iterator[Doorway]:
    opened = open_doorway(as_role("ingest"), events, entries(tmp_path))
    until(lambda: opened.door.problems() == [], "the door is open", 10)
    yield opened
    opened.stop()


def key_of(job: str, provider: str = "acme") -> UUID:
    return Job("studio", provider, "default", job).key


def due(see: See, job: str, provider: str = "acme") -> list[tuple[Any, ...]]:
    """Of the job's row: whether it is asked for now, and whether all of it is known."""
    return see(
        "SELECT due_at IS NOT NULL AND due_at <= now(), reported_at IS NOT NULL FROM jobs "
        f"WHERE job_key = '{key_of(job, provider)}'"
    )


def test_a_proven_report_is_stored_when_its_sender_is_answered_and_the_job_is_closed_behind_it(
    doorway: Doorway, say: Say, see: See, woken: list[UUID]
) -> None:
    say("generation.started")
    assert due(see, "job-1") == [(False, False)]
    assert doorway.send(record(outputs=2)) == (200, "stored\n")
    assert see(TASKS) == [("job-1", "0", "output_ready"), ("job-1", "1", "output_ready")]
    assert len(woken) == 2
    until(lambda: due(see, "job-1") == [(False, True)], "the job is closed", 10)


def test_fr42_the_same_report_many_times_at_once_is_stored_once(doorway: Doorway, see: See) -> None:
    with ThreadPoolExecutor(20) as senders:
        told = list(senders.map(lambda _: doorway.send(record(outputs=2)), range(40)))
    assert told == [(200, "stored\n")] * 40
    assert see(TASKS) == [("job-1", "0", "output_ready"), ("job-1", "1", "output_ready")]
    assert see("SELECT count(*) FROM events") == [(2,)]
    assert see("SELECT count(*) FROM sources") == [(2,)]


def test_a_failure_and_a_job_without_outputs_are_stored_too(doorway: Doorway, say: Say, see: See) -> None:
    for job in ("bad", "moderated", "empty"):
        say("generation.started", job_id=job)
    assert doorway.send(record("bad", "odd", is_bad=True))[0] == 200
    assert doorway.send(record("moderated", "moderated"))[0] == 200
    assert doorway.send(record("empty", outputs=0))[0] == 200
    assert see("SELECT job_id, state, reason FROM tasks ORDER BY job_id") == [
        ("bad", "abandoned", "provider_failed"),
        ("empty", "needs_attention", "no_output"),
        ("moderated", "abandoned", "provider_filtered"),
    ]


@pytest.mark.parametrize("status", ["running", "odd"])
def test_a_word_on_the_way_stores_nothing(doorway: Doorway, see: See, status: str) -> None:
    assert doorway.send(record(status=status)) == (200, "noted\n")
    assert see("SELECT FROM tasks") == see("SELECT FROM jobs") == []


@pytest.mark.parametrize("content", [record(status="lost"), {"id": "job-1", "status": "lost"}])
def test_a_signed_word_that_ends_nothing_has_a_known_job_asked_for(
    doorway: Doorway, say: Say, see: See, content: dict[str, Any]
) -> None:
    say("generation.started")
    assert doorway.send(content) == (200, "the job is asked for\n")
    assert due(see, "job-1") == [(True, False)]
    assert see(TASKS) == [("job-1", "", "generating")]


def test_an_unsigned_webhook_makes_a_job_known_and_has_it_asked_for_and_nothing_in_it_is_believed(
    doorway: Doorway, see: See
) -> None:
    with ThreadPoolExecutor(8) as senders:
        told = list(senders.map(lambda _: doorway.send(record(model="m-1"), "luma2"), range(8)))
    assert told == [(200, "the job is asked for\n")] * 8
    assert due(see, "job-1", "luma2") == [(True, False)]
    assert see(TASKS) == [("job-1", "", "generating")]
    assert see("SELECT source, type, count(*) FROM events GROUP BY 1, 2") == [
        ("provider/luma2", "outlast.generation.started", 1)
    ]
    assert see("SELECT model FROM jobs") == [("m-1",)]
    assert see("SELECT FROM sources") == []


def test_a_job_of_which_all_is_known_is_not_asked_for_again(doorway: Doorway, see: See) -> None:
    doorway.send(record())
    say_again = record(status="lost")
    assert doorway.send(say_again)[0] == 200
    doorway.send(record())
    until(lambda: due(see, "job-1") == [(False, True)], "the job is closed", 10)
    assert doorway.send(say_again) == (200, "noted\n")
    assert due(see, "job-1") == [(False, True)]
    assert see(TASKS) == [("job-1", "0", "output_ready")]


def test_where_nothing_can_be_asked_a_hint_is_noted_and_people_are_told_once_what_to_do(
    doorway: Doorway, see: See
) -> None:
    with capture_logs() as lines:
        for _ in range(3):
            assert doorway.send(record(), "nowhere") == (200, "noted\n")
    [line] = [line for line in lines if line["event"] == "webhooks_lead_nowhere"]
    assert line["provider"] == "nowhere"
    assert "[poll]" in line["remedy"]
    assert see("SELECT FROM tasks") == []


def test_a_job_whose_address_only_an_event_may_tell_is_asked_for_if_one_did(
    doorway: Doorway, say: Say, see: See
) -> None:
    assert doorway.send(record(), "given") == (200, "noted\n")
    assert see("SELECT FROM tasks") == []
    say("generation.started", provider="given", record_url="https://api.acme.example/jobs/1")
    assert doorway.send(record(), "given") == (200, "the job is asked for\n")


def test_the_accounts_are_those_of_the_address(doorway: Doorway, see: See) -> None:
    doorway.send(record(account="other", provider_account="other"))
    assert see("SELECT DISTINCT account, provider, provider_account FROM tasks") == [("studio", "acme", "default")]


@pytest.mark.parametrize(
    "content",
    [
        record("a\0b"),
        record("j" * 2000),
        record("j" * 2000, status="lost", outputs=2),
        record("a\0b", status="lost"),
    ],
)
def test_what_no_row_can_hold_is_told_to_its_sender_and_stores_nothing(
    doorway: Doorway, see: See, content: dict[str, Any]
) -> None:
    status, text = doorway.send(content)
    assert (status, text.partition(" (")[0]) == (400, "it holds what cannot be stored")
    assert not tells(text)
    assert see("SELECT FROM tasks") == []


def test_fr72_a_webhook_goes_on_with_the_trace_of_its_sender(doorway: Doorway, see: See) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    doorway.send(record("one"), traceparent=f"00-{trace}-00f067aa0ba902b7-01")
    doorway.send(record("two"), traceparent=f"{CANARY} broken")
    [(one,), (two,)] = see("SELECT traceparent FROM tasks ORDER BY job_id")
    assert trace in one
    assert len(two) == len(one)


def test_a_closing_that_fails_costs_no_webhook_its_answer(doorway: Doorway, see: See, database: TestDatabase) -> None:
    doorway.send(record("before"), "luma2")
    with psycopg.connect(database.url(), autocommit=True) as administrator:
        administrator.execute("REVOKE UPDATE ON jobs FROM outlast_ingest")
        assert doorway.send(record()) == (200, "stored\n")
        administrator.execute("GRANT UPDATE ON jobs TO outlast_ingest")
    assert doorway.send(record("after")) == (200, "stored\n")


def test_while_the_database_cannot_store_the_sender_keeps_the_webhook(
    doorway: Doorway, see: See, database: TestDatabase
) -> None:
    with psycopg.connect(database.url(), autocommit=True) as administrator:
        administrator.execute("REVOKE INSERT ON tasks FROM outlast_ingest")
        assert doorway.send(record()) == (503, "try again\n")
        administrator.execute("GRANT INSERT ON tasks TO outlast_ingest")
    assert see("SELECT FROM events") == []
    assert doorway.send(json.dumps(record(outputs=3)).encode()) == (200, "stored\n")
    assert see("SELECT count(*) FROM tasks") == [(3,)]
