"""How pollers share jobs and providers: rates, pauses, threads, leases, and what happens around a question."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from services.ingest.silence import Silence
from shared.db import Database
from shared.errors import Failure
from shared.telemetry import metrics
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.faults.answers import answer
from tests.faults.server import Line
from tests.integration.broker.polling import eventually
from tests.integration.db.conftest import As
from tests.integration.ingest.polls import FRESH, Api, Polls, done, job_key, says
from tests.system.provider import in_order


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def other() -> Iterator[Api]:
    api = Api()
    with api.server:
        yield api


@pytest.fixture
def polls(database: TestDatabase, as_role: As, vault: Vault, tmp_path: Path, api: Api, other: Api) -> Polls:
    return Polls(database, as_role, vault, tmp_path, api.server, other.server)


def timed(api: Api) -> list[float]:
    """The times at which questions come from here on; the job is done at once."""
    times: list[float] = []

    def lead(line: Line) -> None:
        times.append(time.monotonic())
        done(FRESH)(line)

    api.jobs |= {f"j{number}": lead for number in range(100)}
    return times


def test_a_hundred_jobs_of_a_provider_keep_its_rate(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, per_second=20))
    times = timed(api)
    polls.start(*api.jobs)
    polls.until_ended(100, 60)
    assert len(times) == 100
    times.sort()
    # A question takes its time to come, so that two that began apart may come a little closer.
    assert all(times[n + 25] - times[n] >= 1.0 for n in range(75))
    assert times[-1] - times[0] >= 99 / 20 - 0.5


def test_fr48_one_refusal_pauses_the_whole_provider_and_no_other(
    polls: Polls, api: Api, other: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path, per_second=2), other.entry(tmp_path, "second"))
    first = answer(b"{}", "Retry-After: 4", status=429)
    api.jobs |= {"a": in_order(first, done(FRESH)), "b": done(FRESH), "c": done(FRESH)}
    other.jobs["z"] = done(FRESH)
    polls.start("a")
    with polls.running():
        eventually(lambda: api.asked() == 1)
        limited_at = time.monotonic()
        eventually(lambda: polls.rows("SELECT last_reason FROM jobs") == [("rate_limited",)])
        polls.start("b", "c")
        polls.start("z", provider="second")
        eventually(lambda: polls.tasks().get(("z", "0")) == "output_ready")
        assert api.asked() == 1
        eventually(lambda: polls.rows("SELECT count(*) FROM jobs WHERE due_at IS NULL") == [(4,)], 20)
        assert api.asked() == 4
    [asked_again] = polls.rows("SELECT extract(epoch FROM reported_at - started_at) FROM jobs WHERE job_id = 'a'")
    assert time.monotonic() - limited_at >= 4
    assert asked_again is not None


def test_a_wish_for_a_day_silences_nobody_for_so_long(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["a"] = answer(b"{}", "Retry-After: 86400", status=429)
    polls.start("a")
    with polls.running() as poller:
        eventually(lambda: polls.rows("SELECT last_reason FROM jobs") == [("rate_limited",)])
        eventually(lambda: poller._rooms.free(301.0)[0] == {"acme": 4})
        assert poller._rooms.free(290.0)[0] == {}
    [(waits,)] = polls.rows("SELECT extract(epoch FROM due_at - now())::float8 FROM jobs")
    assert 3000 <= waits <= 4400


def test_a_dead_provider_does_not_delay_another(polls: Polls, api: Api, other: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path), other.entry(tmp_path, "second"))
    dead = [f"dead-{number}" for number in range(30)]
    api.jobs |= dict.fromkeys(dead, lambda line: line.hold())
    polls.policy = replace(polls.policy, idle_seconds=8.0)
    other.jobs |= {f"j{number}": done(FRESH) for number in range(20)}
    polls.start(*dead)
    with polls.running(questions=4):
        eventually(lambda: api.asked() == 2)
        polls.start(*other.jobs, provider="second")
        since = time.monotonic()
        eventually(lambda: polls.rows("SELECT count(*) FROM tasks WHERE state = 'output_ready'") == [(20,)], 20)
        assert time.monotonic() - since < 8
        assert api.asked() == 2, "its silence holds half of the threads at most"
        # After the first silence one thread is enough for it.
        eventually(lambda: api.asked() == 3, 15)
        assert polls.rows("SELECT DISTINCT last_reason FROM jobs WHERE troubles > 0") == [("stalled",)]


def test_several_processes_share_the_work_and_ask_for_each_job_once(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, per_second=100))
    times = timed(api)
    polls.start(*api.jobs)
    with ExitStack() as running:
        for _ in range(3):
            running.enter_context(polls.running())
        eventually(lambda: polls.rows("SELECT count(*) FROM jobs WHERE due_at IS NULL") == [(100,)], 40)
    assert len(times) == 100


def test_a_job_whose_asker_vanished_is_asked_for_again(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    polls.start("1")
    api.jobs["1"] = done(FRESH)
    values = {"providers": ["acme"], "most": [1], "most_of_all": 1, "lease_seconds": 60, "generation_seconds": 86400}
    assert len(polls.database.run("poll_due", **values)) == 1
    assert polls.database.run("poll_due", **values) == []
    polls.change("UPDATE jobs SET due_at = due_at - interval '60 s'")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready"}


def test_news_that_comes_while_the_question_is_under_way_is_asked_for_at_once(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path, every_seconds=100, most_seconds=100))
    arrived, go = Event(), Event()

    def slow(line: Line) -> None:
        arrived.set()
        go.wait(10)
        says({"status": "running"})(line)

    api.jobs["1"] = in_order(slow, done(FRESH))
    polls.start("1")
    with polls.running(questions=2):
        assert arrived.wait(10)
        assert polls.database.run("poll_now", job_key=job_key("1")) == [{"job_key": job_key("1")}]
        go.set()
        eventually(lambda: polls.tasks() == {("1", "0"): "output_ready"})
    assert polls.database.run("poll_now", job_key=job_key("1")) == [], "all is known of it"


def test_at_the_end_questions_are_broken_off_and_their_jobs_given_back(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = lambda line: line.hold()
    polls.start("1")
    with polls.running():
        eventually(lambda: api.asked() == 1)
        since = time.monotonic()
    assert time.monotonic() - since < 5
    assert polls.rows("SELECT due_at <= now(), troubles FROM jobs") == [(True, 0)]


def test_without_a_database_nobody_is_asked(polls: Polls, api: Api, tmp_path: Path, database: TestDatabase) -> None:
    polls.know(api.entry(tmp_path))
    polls.start("1")
    polls.database = Database(database.url("outlast_ingest"), name="gone")
    polls.database.close()
    poller = polls.poller()
    with pytest.raises(Failure, match="database"):
        poller.look()
    assert api.server.requests == []


def test_an_answer_that_cannot_be_stored_is_asked_for_again(
    polls: Polls, api: Api, tmp_path: Path, database: TestDatabase
) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = done(FRESH, FRESH + "&n=2")
    polls.start("1")
    polls.change("ALTER TABLE sources RENAME TO away")
    with polls.running():
        eventually(lambda: api.asked() == 1)
    polls.change("ALTER TABLE away RENAME TO sources")
    assert polls.tasks() == {("1", ""): "generating"}
    polls.change("UPDATE jobs SET due_at = now()")
    polls.until_ended(1)
    assert polls.tasks() == {("1", "0"): "output_ready", ("1", "1"): "output_ready"}


def test_a_job_that_took_too_long_is_silent_and_its_story_has_the_last_word(
    polls: Polls, api: Api, tmp_path: Path
) -> None:
    polls.know(api.entry(tmp_path))
    polls.start("1", age=100)
    with polls.running():
        eventually(lambda: polls.rows("SELECT last_word FROM jobs") == [("running",)])
    assert Silence(polls.database, 99.0, 600.0).look() == 0
    assert Silence(polls.database, 99.0, 90.0).look() == 1
    [(reason, detail)] = polls.rows("SELECT reason, detail FROM history WHERE act = 'silent'")
    assert (reason, detail["last_word"], detail["asked"] > 0) == ("provider_silent", "running", True)
    polls.change("UPDATE jobs SET due_at = now()")
    asked = api.asked()
    polls.until_ended(1, generation_seconds=99.0)
    assert api.asked() == asked, "nobody waits for it"


def test_all_outputs_are_waited_for_when_the_first_is_known(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path))
    api.jobs["1"] = done(FRESH, FRESH + "&n=2")
    polls.start("1")
    polls.say("output.ready", job_id="1", provider_account="main", output_id="0", url=FRESH)
    polls.until_ended(1)
    assert set(polls.tasks()) == {("1", "0"), ("1", "1")}


def test_what_waits_and_what_is_overdue_is_counted(polls: Polls, api: Api, tmp_path: Path) -> None:
    polls.know(api.entry(tmp_path, per_second=0.001))
    polls.start("1", "2")
    polls.change("UPDATE jobs SET due_at = now() - interval '50 s'")
    with polls.running():
        sample = metrics.REGISTER.registry.get_sample_value
        eventually(lambda: sample("outlast_jobs_waiting") == 2)
        assert 50 <= (sample("outlast_jobs_overdue_seconds") or 0) < 70
