"""Objects as sources: an envelope and its store's notification join in any order, and the version is pinned."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

from services.ingest.events import Events, Outcome
from services.ingest.silence import Silence
from shared.messages import InputObject, object_key, task_id_from
from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As
from tests.integration.db.moves import taken
from tests.integration.ingest.conftest import Say, See, event_of

KEY = "studio/in put.pdf"


def told(version: str | None = "v1", etag: str | None = "abc", key: str = KEY, **more: Any) -> dict[str, Any]:
    pins = {"version_id": version, "etag": etag}
    return {"bucket": "outlast-input", "key": key, **{name: pin for name, pin in pins.items() if pin}, **more}


def computed(pin: str = "v1", processor_version: str = "none") -> UUID:
    return task_id_from(object_key("studio", "outlast-input", KEY, pin, processor_version))


def notice(events: Events, **changes: Any) -> Any:
    return events.notice("studio", InputObject.model_validate(told(**changes)))


def sources(see: See) -> list[Any]:
    return [row for (row,) in see("SELECT object FROM sources ORDER BY added_at")]


def test_an_envelope_alone_is_read_at_once_and_promises_what_it_says(say: Say, see: See) -> None:
    answer = say("object.created", object=told(size=7, sha256="0" * 64), kind="pdf", expected={"pages": 2})
    assert (answer.task_id, answer.state) == (computed(), "output_ready")
    assert see("SELECT provider, provider_account, job_id, output_id, promised_kind, expected FROM tasks") == [
        ("object", "outlast-input", KEY, "v1", "pdf", {"size": 7, "sha256": "0" * 64, "pages": 2})
    ]
    assert sources(see) == [told()]
    assert see("SELECT sealed FROM sources") == [(None,)]


def test_a_notification_alone_waits_and_claims_nothing(events: Events, see: See) -> None:
    assert notice(events).state == "generating"
    assert see("SELECT state, stage, account FROM tasks") == [("generating", None, "studio")]
    assert sources(see) == []


def test_an_envelope_after_the_notification_takes_its_row_over(events: Events, say: Say, see: See) -> None:
    first = notice(events)
    answer = say("object.created", object=told(version=None), processor_version="ocr/2", operation_id="op-7")
    assert (answer.task_id, answer.state) == (first.task_id, "output_ready")
    assert see("SELECT processor_version, operation_id, output_id FROM tasks") == [("ocr/2", "op-7", "abc")]
    assert sources(see) == [told()], "the version that the store told of is what is read"
    assert see(f"SELECT task_of('{computed('abc', 'ocr/2')}')") == [(first.task_id,)]


def test_a_notification_after_the_envelope_starts_nothing_and_pins_the_version(
    events: Events, say: Say, see: See
) -> None:
    answer = say("object.created", object=told(version=None))
    assert sources(see) == [told(version=None)]
    late = notice(events)
    assert (late.outcome, late.task_id) == (Outcome.ACCEPTED, answer.task_id)
    assert see("SELECT count(*) FROM tasks") == [(1,)]
    assert sources(see) == [told(version=None), told()]
    assert notice(events).outcome is Outcome.DUPLICATE


def test_each_processor_version_of_an_object_is_a_task_of_its_own(events: Events, say: Say, see: See) -> None:
    notice(events)
    for version in ("ocr/1", "ocr/2", "ocr/1"):
        say("object.created", object=told(), processor_version=version)
    assert see("SELECT processor_version, state FROM tasks ORDER BY 1") == [
        ("ocr/1", "output_ready"),
        ("ocr/2", "output_ready"),
    ]


def test_an_overwritten_key_is_another_object(events: Events, say: Say, see: See) -> None:
    notice(events, version="v1", etag="abc")
    notice(events, version="v2", etag="def")
    # The same bytes written twice are two versions all the same.
    notice(events, version="v3", etag="abc")
    say("object.created", object=told(version="v1", etag="abc"))
    assert see("SELECT object ->> 'version_id', state FROM tasks ORDER BY 1") == [
        ("v1", "output_ready"),
        ("v2", "generating"),
        ("v3", "generating"),
    ]


def test_another_accounts_envelope_never_meets_the_notification(events: Events, say: Say, see: See) -> None:
    notice(events)
    say("object.created", account="other", object=told())
    assert see("SELECT account, state FROM tasks ORDER BY 1") == [("other", "output_ready"), ("studio", "generating")]


def test_an_object_whose_envelope_does_not_come_is_told_and_a_late_one_opens_it(
    events: Events, say: Say, see: See, as_role: As
) -> None:
    first = notice(events)
    say("generation.started")
    silence = Silence(as_role("ingest"), generation_seconds=86400, envelope_seconds=600)
    assert silence.look() == 0
    waited(see, 601)
    assert silence.look() == 1
    assert see("SELECT state, reason, announce_at IS NOT NULL FROM tasks WHERE reason IS NOT NULL") == [
        ("needs_attention", "no_envelope", True)
    ]
    answer = say("object.created", object=told())
    assert (answer.task_id, answer.state) == (first.task_id, "output_ready")
    assert taken(as_role("downloader"), Stage.DOWNLOAD).task_id == first.task_id


def test_a_job_that_nobody_reports_is_told_after_a_day_and_a_late_output_opens_it(
    say: Say, see: See, as_role: As
) -> None:
    started = say("generation.started")
    silence = Silence(as_role("ingest"), generation_seconds=86400, envelope_seconds=600)
    waited(see, 86399)
    assert silence.look() == 0
    waited(see, 2)
    assert silence.look() == 1
    assert see("SELECT state, reason FROM tasks") == [("needs_attention", "provider_silent")]
    assert see("SELECT act, from_state, to_state, reason, role FROM history ORDER BY history_id DESC LIMIT 1") == [
        ("silent", "generating", "needs_attention", "provider_silent", "outlast_ingest")
    ]
    answer = say("output.ready", url="https://cdn.example/a.mp4")
    assert (answer.task_id, answer.state) == (started.task_id, "output_ready")


def test_the_providers_word_about_a_silent_job_replaces_the_silence(say: Say, see: See, as_role: As) -> None:
    say("generation.started")
    waited(see, 86401)
    Silence(as_role("ingest"), generation_seconds=86400, envelope_seconds=600).look()
    say("output.failed", failure="filtered")
    assert see("SELECT state, reason FROM tasks") == [("needs_attention", "provider_filtered")]


def test_envelopes_and_notifications_at_once_are_one_task_each_and_all_are_read_by_version(
    events: Events, see: See
) -> None:
    def bring(number: int) -> None:
        key, side = f"studio/{number // 4}", number % 4
        if side < 2:
            events.notice("studio", InputObject.model_validate(told(key=key)))
        else:
            event = event_of("object.created", object=told(key=key, version=None if side == 2 else "v1"))
            events.accept("studio", event, event.id.encode())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bring, range(120)))
    assert see("SELECT state, count(*) FROM tasks GROUP BY 1") == [("output_ready", 30)]
    assert see("SELECT count(DISTINCT task_id) FROM sources WHERE object ? 'version_id'") == [(30,)]


def waited(see: See, seconds: float) -> None:
    see(f"UPDATE tasks SET ready_at = ready_at - interval '{seconds} seconds' RETURNING task_id")


@pytest.fixture
def see(database: TestDatabase) -> See:
    """Runs a query as the superuser, whom no trigger stops."""
    import psycopg

    def run(statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(database.url()) as connection:
            connection.execute("SET session_replication_role = replica")
            return connection.execute(statement.encode()).fetchall()

    return run
