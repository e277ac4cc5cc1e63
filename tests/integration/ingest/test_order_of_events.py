"""FR-44: events come in any order and any number of times; nothing captured is lost, and a conflict is visible."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from uuid import UUID

import psycopg
import pytest

from services.ingest.events import Answer, Events, Outcome
from shared.db.views import read_task
from shared.messages import download_key, task_id_from
from shared.states import Stage
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As
from tests.integration.db.moves import stage_bytes, taken
from tests.integration.ingest.conftest import Say, See, event_of

URL = "https://cdn.example/a.mp4?sig=x"


def computed(output_id: str = "0") -> UUID:
    return task_id_from(download_key("studio", "acme", "default", "job-1", output_id))


def history(see: See) -> list[tuple[str, str, str, str | None]]:
    return see("SELECT act, from_state, to_state, reason FROM history ORDER BY history_id")


def test_a_started_job_is_a_placeholder_that_its_first_output_takes_over(say: Say, see: See, as_role: As) -> None:
    started = say("generation.started", operation_id="op-7", kind="video", display_name="rain.mp4")
    assert (started.outcome, started.state) == (Outcome.ACCEPTED, "generating")
    first = say("output.ready", output_id="clip-a", url=URL, attempt_id="2")
    second = say("output.ready", output_id="clip-b", url=URL)
    assert first.task_id == started.task_id != computed("clip-a")
    assert second.task_id == computed("clip-b")
    assert see(
        "SELECT output_id, state, operation_id, attempt_id, promised_kind, display_name FROM tasks ORDER BY 1"
    ) == [
        ("clip-a", "output_ready", "op-7", "2", "video", "rain.mp4"),
        ("clip-b", "output_ready", "job-1", "1", None, None),
    ]
    assert first.task_id
    for asked in (computed("clip-a"), first.task_id):
        task = read_task(as_role("reader"), asked)
        assert task is not None
        assert (task.task_id, task.output_id) == (started.task_id, "clip-a")


def test_what_a_start_says_counts_also_when_it_comes_late_and_never_against_the_outputs_own_word(
    say: Say, see: See, as_role: As
) -> None:
    fields = "operation_id, attempt_id, promised_kind, display_name, expected, provenance"
    say("output.ready", url=URL, attempt_id="2", expected={"width": 8})
    told = {"operation_id": "op-7", "attempt_id": "9", "kind": "video", "expected": {"width": 9, "height": 8}}
    late = say("generation.started", event_id="late", **told, display_name="a.mp4", provenance={"model": "m"})
    assert (late.outcome, late.task_id, late.state) == (Outcome.ACCEPTED, computed(), "output_ready")
    whole = ("op-7", "2", "video", "a.mp4", {"width": 8, "height": 8}, {"model": "m"})
    assert see(f"SELECT {fields} FROM tasks") == [whole]
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    say("generation.started", operation_id="too-late", event_id="too-late")
    say("generation.started", operation_id="again", event_id="late")
    assert see(f"SELECT {fields} FROM tasks") == [whole]


def test_a_link_that_a_placeholder_took_over_is_opened_by_its_downloader(
    say: Say, see: See, as_role: As, vault: Vault
) -> None:
    say("generation.started")
    answer = say("output.ready", url=URL)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    [row] = as_role("downloader").run("sources", task_id=claim.task_id)
    assert claim.task_id == answer.task_id
    assert vault.unseal(claim.task_id, row["source_id"], row["sealed"]) == URL


def test_a_downloader_is_woken_for_the_row_that_stands_for_the_output_and_for_nothing_else(
    say: Say, woken: list[UUID]
) -> None:
    started = say("generation.started")
    say("output.failed", output_id="7", job_id="another")
    assert woken == []
    say("output.ready", url=URL, event_id="e")
    say("output.ready", url=URL, event_id="e")
    assert woken == [started.task_id]


def test_a_repeat_of_an_event_that_took_a_placeholder_over_is_a_duplicate(say: Say, see: See) -> None:
    say("generation.started")
    first = say("output.ready", url=URL, event_id="e")
    again = say("output.ready", url=URL, event_id="e")
    assert (again.outcome, again.task_id) == (Outcome.DUPLICATE, first.task_id)
    assert see("SELECT count(*) FROM sources") == [(1,)]


def test_one_id_for_all_events_of_a_job_is_told_and_not_taken_for_a_repeat(say: Say) -> None:
    say("generation.started", event_id="job-1")
    assert say("output.ready", url=URL, event_id="job-1").outcome is Outcome.ID_CONFLICT
    assert say("output.failed", event_id="job-1").outcome is Outcome.ID_CONFLICT
    say("output.failed", output_id="7", event_id="output-7")
    assert say("output.ready", output_id="7", url=URL, event_id="output-7").outcome is Outcome.ID_CONFLICT


def test_started_after_ready_makes_no_new_task(say: Say, see: See) -> None:
    ready = say("output.ready", url=URL)
    started = say("generation.started")
    assert (started.outcome, started.task_id, started.state) == (Outcome.ACCEPTED, ready.task_id, "output_ready")
    assert see("SELECT count(*) FROM tasks") == [(1,)]


def test_a_late_failure_leaves_a_transfer_alone_and_is_kept_as_a_conflict(say: Say, see: See, as_role: As) -> None:
    say("output.ready", url=URL)
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    failed = say(
        "output.failed",
        output_id="0",
        failure="filtered",
        code="policy",
        message="Withheld, see https://p.example/x?key=KEYMARK",
    )
    assert failed.state == "downloading"
    assert stage_bytes(as_role("downloader"), claim)
    assert see("SELECT state, reason FROM tasks") == [("verifying", None)]
    [(detail,)] = see("SELECT detail FROM history WHERE act = 'conflict'")
    assert ("conflict", "downloading", "downloading", "provider_filtered") in history(see)
    assert detail["code"] == "policy"
    assert "Withheld" in detail["message"]
    assert "KEYMARK" not in detail["message"]


def test_a_failure_of_the_whole_job_after_an_output_is_a_conflict_of_that_output(say: Say, see: See) -> None:
    ready = say("output.ready", url=URL)
    assert say("output.failed").task_id == ready.task_id
    assert see("SELECT count(*) FROM tasks") == [(1,)]
    assert ("conflict", "output_ready", "output_ready", "provider_failed") in history(see)


def test_a_failure_alone_is_born_abandoned_with_the_providers_words(say: Say, see: See) -> None:
    answer = say("output.failed", output_id="1", code="E-7", message="Out of credit.")
    assert (answer.task_id, answer.state) == (computed("1"), "abandoned")
    assert see("SELECT state, reason, output_id FROM tasks") == [("abandoned", "provider_failed", "1")]
    assert see("SELECT detail FROM history") == [({"code": "E-7", "message": "Out of credit."},)]


def test_ready_after_failed_reopens_and_the_row_keeps_its_id(say: Say, see: See) -> None:
    failed = say("output.failed", output_id="0")
    ready = say("output.ready", url=URL)
    assert (ready.task_id, ready.state) == (failed.task_id, "output_ready")
    assert history(see)[-1] == ("reopen", "abandoned", "output_ready", None)
    assert see("SELECT reason, count(*) FROM tasks GROUP BY 1") == [(None, 1)]


def test_a_job_that_failed_as_a_whole_is_taken_over_by_an_output_all_the_same(say: Say, see: See) -> None:
    started = say("generation.started")
    assert say("output.failed").state == "abandoned"
    ready = say("output.ready", output_id="b", url=URL)
    assert (ready.task_id, ready.state) == (started.task_id, "output_ready")
    assert see("SELECT output_id FROM tasks") == [("b",)]


def test_an_output_that_failed_takes_the_placeholder_and_leaves_the_others_their_own(say: Say, see: See) -> None:
    started = say("generation.started")
    assert say("output.failed", output_id="1").task_id == started.task_id
    assert say("output.ready", output_id="0", url=URL).task_id == computed("0")
    assert see("SELECT output_id, state FROM tasks ORDER BY 1") == [("0", "output_ready"), ("1", "abandoned")]


def test_what_an_operator_closed_is_not_opened_by_an_event(say: Say, see: See, database: TestDatabase) -> None:
    ready = say("output.ready", url=URL)
    with psycopg.connect(database.url("outlast_operator")) as connection:
        connection.execute("UPDATE tasks SET state = 'abandoned', reason = 'source_gone'")
    again = say("output.ready", url=URL)
    assert (again.task_id, again.state) == (ready.task_id, "abandoned")
    assert see("SELECT count(*) FROM sources") == [(1,)]


@pytest.mark.parametrize("order", list(permutations(["generation.started", "output.ready", "output.failed"])))
def test_whatever_the_order_there_is_one_task_and_its_link_is_tried(order: tuple[str, ...], say: Say, see: See) -> None:
    for name in order:
        fields = {"url": URL, "output_id": "0"} if name == "output.ready" else {}
        say(name, **fields)
    assert see("SELECT state, output_id FROM tasks") == [("output_ready", "0")]
    assert see("SELECT count(*) FROM sources") == [(1,)]


def test_a_captured_asset_outlives_any_later_event(say: Say, see: See, as_role: As) -> None:
    say("output.ready", url=URL)
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    for name in ("generation.started", "output.failed", "output.ready"):
        say(name, **({"url": URL} if name == "output.ready" else {}))
    assert see("SELECT state, h1 IS NOT NULL FROM tasks") == [("verifying", True)]


def test_fifty_outputs_and_the_start_of_one_job_at_once_are_fifty_tasks(events: Events, see: See) -> None:
    told = [event_of("generation.started") for _ in range(10)]
    told += [event_of("output.ready", output_id=str(n % 50), url=URL) for n in range(100)]
    told += [event_of("output.failed", output_id=str(n)) for n in range(5)]

    def bring(number: int) -> Answer:
        event = told[number * 37 % len(told)]
        return events.accept("studio", event, event.id.encode())

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(bring, range(len(told))))
    assert {answer.outcome for answer in answers} == {Outcome.ACCEPTED}
    assert see("SELECT count(*), count(DISTINCT output_id) FROM tasks WHERE output_id <> ''") == [(50, 50)]
    assert see("SELECT count(*) FROM tasks WHERE output_id = '' OR state = 'generating'") == [(0,)]
    assert see("SELECT count(*) FROM sources") == [(100,)]
    # Each source is sealed for the row that has it: a late takeover never leaves one under another id.
    assert see("SELECT count(*) FROM sources s JOIN tasks t USING (task_id) WHERE t.state = 'output_ready'") == [(100,)]


def test_the_first_output_at_the_moment_of_the_start_has_one_row_and_a_link_that_opens(
    events: Events, see: See, as_role: As, vault: Vault
) -> None:
    def both(number: int) -> None:
        job = f"job-{number // 2}"
        event = (
            event_of("output.ready", job_id=job, url=URL) if number % 2 else event_of("generation.started", job_id=job)
        )
        events.accept("studio", event, event.id.encode())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(both, range(80)))
    assert see("SELECT state, output_id, count(*) FROM tasks GROUP BY 1, 2") == [("output_ready", "0", 40)]
    for task_id, source_id, sealed in see("SELECT task_id, source_id, sealed FROM sources"):
        assert vault.unseal(task_id, source_id, bytes(sealed)) == URL
