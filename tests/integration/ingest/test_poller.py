"""What comes of what a provider says of its jobs, over real sockets and in a real database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.providers.entry import Lives, Refresh
from shared.telemetry import metrics
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.faults.answers import answer
from tests.faults.canary import CANARY
from tests.faults.server import Script
from tests.integration.broker.polling import eventually
from tests.integration.db.conftest import As
from tests.integration.ingest.polls import FRESH, Api, Polls, done, says
from tests.system.provider import in_order

LONG_AGO = "2020-01-01T00:00:00Z"
AGE_THE_UNKNOWN = "UPDATE jobs SET unknown_since = now() - interval '31 s' WHERE unknown = 2"


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def polls(database: TestDatabase, as_role: As, vault: Vault, tmp_path: Path, api: Api) -> Polls:
    return Polls(database, as_role, vault, tmp_path, api.server)


def counted(name: str, **labels: str) -> float:
    return metrics.REGISTER.registry.get_sample_value(name, labels) or 0.0


def test_a_job_is_asked_for_until_it_is_done_and_then_no_more(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = in_order(*[says({"status": "queued"})] * 2, done(FRESH))
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready"}
    assert polls.link_of("1") == FRESH
    assert api.asked("/jobs/1") == 3
    assert polls.rows("SELECT asked, troubles, last_word, reported_at IS NULL FROM jobs") == [
        (3, 0, "succeeded", False)
    ]


def test_fr13_each_account_is_asked_for_with_its_own_key(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    mine, theirs = polls.write_key("main"), polls.write_key("other")
    api.jobs |= {"mine": done(FRESH), "theirs": done(FRESH)}
    polls.start("mine")
    polls.start("theirs", account="other")
    polls.until_ended(2)
    assert (api.keys("mine"), api.keys("theirs")) == ({mine}, {theirs})


def test_fr41_of_several_outputs_each_has_its_own_end(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, output_error="code", output_message="message"))
    results = [{"code": "InternalError", "message": f"no, see {FRESH}"}, {"url": FRESH}, {"url": FRESH}, None]
    api.jobs["1"] = says({"status": "succeeded", "outputs": results})
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "provider_failed", ("1", "1"): "output_ready", ("1", "2"): "output_ready"}
    [(detail,)] = polls.rows("SELECT detail FROM history WHERE reason = 'provider_failed'")
    assert detail["code"] == "InternalError"
    assert CANARY not in str(detail)


GONE: dict[str, tuple[Script, dict[str, Any]]] = {
    "404": (answer(b'{"error": "no such job"}', status=404), {}),
    "410": (answer(b"gone", status=410), {}),
    "UNKNOWN": (says({"output": {"task_status": "UNKNOWN"}}), {"status": "output.task_status", "gone": ["UNKNOWN"]}),
    "empty data": (says({"code": 0, "data": []}), {"status": "data[0].status", "error": "code"}),
}


@pytest.mark.parametrize("form", GONE)
def test_fr47_a_job_that_the_provider_forgot_is_lost_after_three_questions(
    polls: Polls, api: Api, tmp_path: Path, form: str
) -> None:
    script, entry = GONE[form]
    polls.know(api.entry(tmp_path, **entry))
    api.jobs["1"] = script
    polls.start("1")
    with polls.running():
        eventually(lambda: polls.rows("SELECT unknown FROM jobs") == [(2,)])
        polls.change(AGE_THE_UNKNOWN)
        eventually(lambda: polls.tasks() == {("1", ""): "job_record_gone"})
    assert api.asked() == 3
    assert polls.rows("SELECT detail ->> 'asked' FROM history WHERE act = 'fruitless'") == [("3",)]


@pytest.mark.parametrize(
    ("completed_at", "reason"), [(LONG_AGO, "job_record_gone"), (None, "no_output"), ("2999-01-01", "no_output")]
)
@pytest.mark.parametrize("record", [{"outputs": None}, {"outputs": []}, {"outputs": [{"url": None}]}])
def test_fr47_a_finished_job_without_outputs_is_said_to_be(
    polls: Polls, api: Api, tmp_path: Path, record: dict[str, Any], completed_at: str | None, reason: str
) -> None:
    entry = api.entry(tmp_path, completed_at="done_at")
    polls.know(entry.model_copy(update={"life": Lives(record=3600)}))
    api.jobs["1"] = says({"status": "succeeded", "done_at": completed_at, **record})
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", ""): reason}
    assert api.asked() == 1
    assert polls.rows("SELECT announce_at IS NULL FROM tasks") == [(False,)], "and people are told"


def test_fr47_an_output_without_a_link_is_asked_for_by_its_downloader_where_there_is_a_way(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    refresh = Refresh(url=api.server.url("/jobs/{job_id}"))
    polls.know(api.entry(tmp_path).model_copy(update={"refresh": refresh}))
    api.jobs["1"] = done(None)
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_fr48_errors_inside_a_200_and_passing_ones_are_waited_out(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, error="base_resp.status_code || code", limited=[1002, 1303], refused=[1004]))
    refused = says({"base_resp": {"status_code": 1004}, "status": "succeeded"})
    odd = [says({"code": 1000}), answer(b"<html>"), answer(b""), answer(b"no", status=500), answer(b"no", status=401)]
    good = done(FRESH, base_resp={"status_code": 0})
    api.jobs |= {
        "odd": in_order(*odd, good),
        "refused": in_order(refused, good),
        "early": in_order(*[answer(status=404)] * 2, good),
    }
    polls.start("odd", "refused", age=300)
    polls.start("early", age=1)
    with polls.running():
        # Waits are what other tests are about.
        eventually(polls.hastened_to_the_end, 30)
    assert polls.tasks() == {(job, "0"): "output_ready" for job in api.jobs}
    assert (api.asked("odd"), api.asked("refused"), api.asked("early")) == (6, 2, 3)


NESTED = {
    "video": FRESH,
    "all": [{"deep": FRESH + "&n=2"}, "text", "data:image/png;base64,AAAA", "file:///etc/passwd", 5],
}


def test_fr49_of_an_output_of_any_shape_the_links_are_taken(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, outputs="output", any_shape=True))
    api.jobs["1"] = says({"status": "succeeded", "output": NESTED})
    polls.start("1")
    polls.until_ended(1)
    assert set(polls.tasks()) == {("1", "0"), ("1", "1"), ("1", "2")}
    assert polls.link_of("1", "1") == FRESH + "&n=2"


ATLAS: dict[str, Any] = {"status": "payload.status || status", "done": ["OK", "succeed", "Success"]}


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ({"status": "succeed", "outputs": [{"url": FRESH}]}, "output_ready"),
        ({"status": "Success", "outputs": [{"url": FRESH}]}, "output_ready"),
        ({"status": "OK", "payload": {"status": "failed"}, "outputs": [{"url": FRESH}]}, "provider_failed"),
        ({"status": "moderated"}, "provider_filtered"),
    ],
)
def test_fr50_every_spelling_of_the_entry_is_the_same_end(
    polls: Polls, api: Api, tmp_path: Path, record: dict[str, Any], word: str
) -> None:
    polls.know(api.entry(tmp_path, **ATLAS, filtered=["moderated"]))
    api.jobs["1"] = says(record)
    polls.start("1")
    polls.until_ended(1)
    assert list(polls.tasks().values()) == [word]


def test_fr50_an_unknown_status_ends_nothing_and_is_counted(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    before = counted("outlast_unknown_statuses_total", provider="acme")
    api.jobs["1"] = in_order(says({"status": "paused"}), done(FRESH))
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready"}
    assert counted("outlast_unknown_statuses_total", provider="acme") == before + 1


def test_fr50_an_id_may_be_a_number(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, output_id="id"))
    api.jobs["1"] = in_order(
        says({"status": "running"}), says({"status": "succeeded", "outputs": [{"id": 7, "url": FRESH}]})
    )
    polls.start("1")
    polls.say("output.ready", job_id="1", provider_account="main", output_id="7", url=FRESH)
    polls.until_ended(1)
    assert polls.tasks() == {("1", "7"): "output_ready"}
