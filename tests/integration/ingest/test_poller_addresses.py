"""Where a job is asked for, and who is shown the key there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.faults.answers import answer, head, redirect
from tests.faults.canary import CANARY, LINK
from tests.faults.server import FaultServer, Line
from tests.integration.broker.polling import eventually
from tests.integration.db.conftest import As
from tests.integration.ingest.polls import FRESH, Api, Polls, done, says
from tests.system.provider import in_order

METADATA = "http://169.254.169.254/latest/meta-data/" + CANARY


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def other() -> Iterator[FaultServer]:
    """Another origin, which answers whatever it is asked."""
    with FaultServer(done(FRESH)) as server:
        yield server


@pytest.fixture
def polls(database: TestDatabase, as_role: As, vault: Vault, tmp_path: Path, api: Api, other: FaultServer) -> Polls:
    return Polls(database, as_role, vault, tmp_path, api.server, other)


def last(polls: Polls) -> tuple[str | None, str | None]:
    """The last word and the last reason of the only job."""
    [found] = polls.rows("SELECT last_word, last_reason FROM jobs")
    return found


def test_an_address_that_an_event_gave_is_used_as_it_is(polls: Polls, api: Api, tmp_path: Path) -> None:
    """The form of BFL, whose entry has no address of its own."""
    polls.know(api.entry(tmp_path, url=None))
    path = f"/v1/get_result?id=1&sig=%2F{CANARY}+x"
    api.jobs["get_result"] = done(FRESH)
    polls.start("1", record_url=api.server.url(path))
    polls.until_ended(1)
    [request] = api.server.requests
    assert request.target == path
    assert request.headers["x-key"] == f"{CANARY}-key-of-main"
    assert polls.tasks() == {("1", "0"): "output_ready"}
    assert CANARY not in str(polls.rows("SELECT * FROM public_jobs"))


def test_an_address_that_lies_elsewhere_is_ignored_and_never_shown_the_key(
    polls: Polls, api: Api, other: FaultServer, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = done(FRESH)
    polls.start("1", record_url=other.url(LINK))
    polls.until_ended(1)
    assert (api.asked("/jobs/1"), other.requests) == (1, [])


def test_where_only_an_address_elsewhere_is_known_nobody_is_asked_and_people_may_see_why(
    polls: Polls, api: Api, other: FaultServer, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path, url=None))
    polls.start("1", record_url=other.url(LINK))
    with polls.running():
        eventually(lambda: last(polls) == (None, "host_not_listed"))
    assert (api.server.requests, other.requests) == ([], [])
    assert polls.tasks() == {("1", ""): "generating"}


def test_fault_61_the_key_crosses_to_no_other_origin(
    polls: Polls, api: Api, other: FaultServer, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["away"] = redirect(other.url(LINK))
    polls.start("1", record_url=api.server.url("/jobs/away?sig=" + CANARY))
    polls.until_ended(1)
    assert api.keys("away?sig=" + CANARY) == {f"{CANARY}-key-of-main"}
    assert CANARY.encode() + b"-key" not in other.requests[0].head
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_fault_94_a_redirect_to_the_metadata_service_is_refused_and_loses_nothing(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs |= {"1": in_order(redirect("/jobs/hop"), done(FRESH)), "hop": redirect(METADATA)}
    polls.start("1")
    with polls.running():
        eventually(lambda: last(polls)[1] == "blocked_address")
        eventually(polls.hastened_to_the_end)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_fr76_a_job_unknown_to_a_key_that_was_changed_is_not_called_lost(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path))
    mine, theirs = polls.write_key("main"), polls.write_key("other")

    def of_mine(line: Line) -> None:
        is_mine = line.request.headers["x-key"] == mine
        (says({"status": "running"}) if is_mine else answer(b"{}", status=404))(line)

    api.jobs["1"] = of_mine
    polls.start("1", age=90)
    with polls.running():
        eventually(lambda: last(polls)[0] == "running")
        polls.write_key("main", theirs)
        eventually(lambda: polls.hastened_to_the_end() or polls.rows("SELECT troubles > 4 FROM jobs") == [(True,)])
        assert last(polls) == ("HTTP 404", "credential_refused")
        assert polls.rows("SELECT unknown FROM jobs") == [(0,)]
        polls.write_key("main", mine)
        api.jobs["1"] = done(FRESH)
        eventually(polls.hastened_to_the_end)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_a_missing_key_is_waited_for(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    polls.start("1", account="new")
    api.jobs["1"] = done(FRESH)
    with polls.running():
        eventually(lambda: last(polls)[1] == "credential_missing")
        polls.write_key("new")
        eventually(polls.hastened_to_the_end)
    assert polls.tasks() == {("1", "0"): "output_ready"}
    assert api.asked() == 1, "nobody is asked without a key"


def test_the_outputs_may_stand_in_a_second_record(polls: Polls, api: Api, tmp_path: Path) -> None:
    """The form of fal.ai: the status says where the result is, which has no status itself."""
    polls.know(
        api.entry(
            tmp_path,
            status="status || 'result'",
            running=["IN_PROGRESS", "COMPLETED"],
            done=["result"],
            follow="status == 'COMPLETED' && response_url",
            outputs="video",
        )
    )
    result = api.server.url("/result?sig=" + CANARY)
    api.jobs |= {
        "status": in_order(*(says({"status": word, "response_url": result}) for word in ("IN_PROGRESS", "COMPLETED"))),
        "result": says({"video": {"url": FRESH}}),
    }
    polls.start("1", record_url=api.server.url("/status"))
    polls.until_ended(1)
    assert [request.target.partition("?")[0] for request in api.server.requests] == ["/status", "/status", "/result"]
    assert polls.link_of("1") == FRESH


def test_a_refusal_in_place_of_the_outputs_is_the_end_with_the_providers_words(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path, follow="response_url"))
    api.jobs |= {
        "1": says({"status": "running", "response_url": api.server.url("/result")}),
        "result": says({"detail": f"too dark, see {FRESH} with {CANARY}-key-of-main"}, status=422),
    }
    polls.start("1")
    polls.until_ended(1)
    assert polls.tasks() == {("1", ""): "provider_failed"}
    [(detail,)] = polls.rows("SELECT detail FROM history WHERE act = 'failed'")
    assert detail["message"].startswith("too dark")
    assert CANARY not in json.dumps(detail)


def test_of_an_answer_that_is_the_output_itself_only_the_head_is_read(polls: Polls, api: Api, tmp_path: Path) -> None:
    """The form of Stability AI: 202 while it runs, then 200 with the bytes, which are the downloader's to take."""
    sent = 0

    def body(line: Line) -> None:
        nonlocal sent
        line.send(head(200, "Content-Length: 100000000", "finish-reason: SUCCESS"))
        try:
            while sent < 100_000_000:
                line.send(bytes(65536))
                sent += 65536
        except OSError:
            return

    entry = api.entry(
        tmp_path, answer="head", running=[202], done=[200], outputs="@", filtered_if="headers.\"finish-reason\" == 'X'"
    )
    polls.know(entry.model_copy(update={"content": None}))
    api.jobs["1"] = in_order(answer(b"", status=202), body)
    polls.start("1")
    polls.until_ended(1)
    assert polls.rows("SELECT last_word FROM jobs") == [("200",)]
    assert api.asked() == 2
    assert sent < 20_000_000
    assert api.server.requests[0].headers["accept"] == "*/*"


def test_a_provider_that_repeats_key_and_link_in_its_words_is_not_quoted(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    words = f"{CANARY}-key-of-main is\x00 not good for {FRESH}"
    api.jobs |= {"waits": says({"status": words}), "fails": says({"status": "failed", "note": "\ud800" + words})}
    polls.know(api.entry(tmp_path, message="note"))
    polls.start("waits", "fails")
    with polls.running():
        eventually(lambda: polls.tasks().get(("fails", "")) == "provider_failed")
        eventually(lambda: polls.rows("SELECT last_word FROM jobs WHERE job_id = 'waits' AND asked > 1") != [])
    [(word,)] = polls.rows("SELECT last_word FROM jobs WHERE job_id = 'waits'")
    assert word.endswith("is not good for https://cdn.acme.example/...")
    assert CANARY not in str(polls.rows("SELECT * FROM jobs")) + str(polls.rows("SELECT * FROM history"))
