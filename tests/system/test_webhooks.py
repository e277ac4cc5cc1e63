"""Webhooks from outside: the door of real processes, with a poller beside it, and all that senders may do."""

import json
import signal
import socket
from collections.abc import Iterator
from threading import Event
from typing import Any

import psycopg
import pytest

from tests.faults.sender import Make, deliver_all
from tests.faults.server import Line
from tests.faults.way import Way
from tests.system.conftest import System, until
from tests.system.hooks import Hooks, hooks_of, way_to
from tests.system.provider import record
from tests.system.source import CANARY

CROWD = 50
TASKS = "SELECT output_id, state FROM tasks ORDER BY output_id"
READY = "SELECT count(*) FROM events WHERE type = 'outlast.output.ready'"


@pytest.fixture
def hooks(system: System) -> Iterator[Hooks]:
    with hooks_of(system) as found:
        yield found


def job(hooks: Hooks, name: str = "j", outputs: int = 2, **more: Any) -> dict[str, Any]:
    """The record of a finished job."""
    links = [hooks.provider.link(f"{name}-{number}") for number in range(outputs)]
    return {"id": name, "status": "succeeded", "outputs": links, **more}


def begin(hooks: Hooks, name: str = "j") -> None:
    """Let ingest know of a job."""
    body = {
        "specversion": "1.0",
        "id": f"{name}-began",
        "source": "tests",
        "type": "outlast.generation.started",
        "data": {"provider": "acme", "job_id": name},
    }
    hooks.system.publish(("studio.outlast.generation.started", json.dumps(body).encode()))
    until(lambda: hooks.system.rows(f"SELECT FROM jobs WHERE job_id = '{name}'"), "the job is known")


def send(*makes: Make) -> list[int]:
    """Send webhooks at once, and once each; the statuses of their answers."""
    return [delivery.statuses[0] for delivery in deliver_all(makes)]


def test_fr42_a_report_that_comes_many_times_at_once_in_every_way_is_stored_once(hooks: Hooks) -> None:
    """50 equal webhooks to two processes, then 50 with ids of their own, while a poller hears the same."""
    system, provider = hooks.system, hooks.provider
    for name in ("one", "two"):
        hooks.start(name=name)
    begin(hooks)
    asked, told, finished = Event(), Event(), job(hooks)

    def lead(line: Line) -> None:
        asked.set()
        told.wait(30)
        record(*finished["outputs"])(line)

    provider.jobs["j"] = lead
    with psycopg.connect(system.database.url(), autocommit=True) as administrator:
        administrator.execute("UPDATE jobs SET due_at = now()")
    assert asked.wait(30), "a poller asks"
    alike = [hooks.posting(finished, name=("one", "two")[n % 2], hook_id="msg_1") for n in range(CROWD)]
    others = [hooks.posting(finished, name=("one", "two")[n % 2]) for n in range(CROWD)]
    told.set()
    for crowd in (alike, others):
        found = deliver_all(crowd, waits=(1, 2, 4, 8))
        assert all(delivery.is_taken for delivery in found)
        # On a busy machine some may be asked to come again.
        assert {status for delivery in found for status in delivery.statuses} <= {200, 503}
    assert system.rows(TASKS) == [("0", "output_ready"), ("1", "output_ready")]
    assert system.rows(READY) == [(2,)]
    assert system.rows("SELECT count(*) FROM sources") == [(2,)]
    until(lambda: system.rows("SELECT reported_at IS NOT NULL FROM jobs") == [(True,)], "the job is closed")
    until(lambda: len(system.messages("outlast.download")) >= 2, "the downloader is told")
    assert hooks.counted("stored", "one") + hooks.counted("stored", "two") == 2 * CROWD


def test_an_unsigned_webhook_leads_to_a_question_and_its_own_words_are_not_believed(hooks: Hooks) -> None:
    system, provider = hooks.system, hooks.provider
    provider.jobs["j"] = record(provider.link("true"))
    hooks.start()
    false = {"id": "j", "status": "succeeded", "outputs": [provider.link("false"), provider.link("false-too")]}
    assert send(hooks.posting(false, provider="dumb")) == [200]
    assert hooks.counted("hint") == 1
    until(lambda: system.rows(TASKS) == [("0", "output_ready")], "the provider's own word is stored", 20)
    assert provider.asked("/jobs/j") == 1
    assert send(hooks.posting({"id": "j", "status": "running"}, provider="dumb")) == [200]
    assert hooks.counted("noted") == 1
    until(lambda: system.rows("SELECT reported_at IS NOT NULL FROM jobs") == [(True,)], "the job is closed")
    assert send(hooks.posting(false, provider="dumb")) == [200]
    assert hooks.counted("noted") == 2
    assert provider.asked("/jobs/j") == 1


def test_a_webhook_is_a_capture(hooks: Hooks) -> None:
    system = hooks.system
    hooks.start(doors="webhooks")
    for service in ("downloader", "verifier", "promoter"):
        system.start(service)
    finished = {**job(hooks, outputs=0), "outputs": [system.source.link("picture/hook")]}
    assert send(hooks.posting(finished)) == [200]
    until(lambda: system.count("state = 'complete'") == 1, "the picture is an asset", 60)


def test_fr43_with_the_broker_away_a_webhook_is_stored_all_the_same(hooks: Hooks) -> None:
    system = hooks.system
    with way_to(system.amqp_url) as (way, url):
        hooks.start(OUTLAST_AMQP_URL=url)
        way.shut()
        [delivery] = deliver_all([hooks.posting(job(hooks))])
        assert delivery.statuses == [200]
        assert delivery.seconds[0] < 1
        assert system.rows(TASKS) == [("0", "output_ready"), ("1", "output_ready")]
        way.open()
        system.stop_all()


def test_fr43_with_the_database_slow_or_away_the_sender_is_asked_to_come_again_and_then_heard(hooks: Hooks) -> None:
    """What answers after the sender's 5 s is as good as nothing."""
    system = hooks.system
    with way_to(system.database.url("outlast_ingest")) as (way, url):
        hooks.start(OUTLAST_DATABASE_URL=url)
        for name, trouble, end in (("slow", _slow, _quick), ("away", Way.shut, Way.open)):
            trouble(way)
            posting = hooks.posting(job(hooks, name))
            [delivery] = deliver_all([posting], timeout=5.0)
            assert delivery.statuses == [503]
            assert system.count(f"job_id = '{name}'") == 0 or name == "slow"
            end(way)
            [again] = deliver_all([posting], waits=(1, 1, 2, 2, 4, 4, 8))
            assert again.is_taken
            assert system.count(f"job_id = '{name}'") == 2
        assert system.rows(READY) == [(4,)]
        assert hooks.counted("unavailable") >= 2
        system.stop_all()


def _slow(way: Way) -> None:
    way.delay = 3.0


def _quick(way: Way) -> None:
    way.delay = 0.0


def test_fr45_only_what_is_proven_gets_through_and_nothing_else_leaves_a_trace(hooks: Hooks) -> None:
    hooks.start()
    spaced = json.dumps(job(hooks, "j\u00f6b"), indent=3).encode() + b"\n"
    good = hooks.posting(spaced)
    port, path, headers, body = good()
    signature = headers["webhook-signature"]

    def changed(body: bytes = body, target: str = path, **fields: str) -> Make:
        named = {**headers, **{name.replace("_", "-"): value for name, value in fields.items()}}
        return lambda: (port, target, {name: value for name, value in named.items() if value}, body)

    at = int(headers["webhook-timestamp"])
    wrong: list[tuple[Make, int]] = [
        (changed(body[:-1]), 401),
        (changed(body.replace(b"succeeded", b"succeedex")), 401),
        (changed(webhook_signature=signature.replace("v1,", "v2,")), 401),
        (changed(webhook_signature="v1,\u00fc" + CANARY), 401),
        (changed(webhook_signature=""), 401),
        (changed(webhook_id="msg_other"), 401),
        (changed(webhook_id=""), 400),
        (changed(webhook_timestamp=""), 400),
        (changed(webhook_timestamp="abc"), 400),
        (changed(webhook_timestamp=str(at * 1000)), 400),
        (changed(webhook_timestamp=str(at - 600)), 401),
        (changed(webhook_timestamp=str(at + 600)), 401),
        (changed(content_encoding="gzip"), 415),
        (changed(b" " * (5 * 2**20)), 413),
        (changed(target=path + CANARY), 404),
        (changed(target=hooks.path("generic")), 404),
        (changed(target=hooks.path("dumb").replace("studio", "other")), 404),
    ]
    assert send(*(make for make, _ in wrong)) == [status for _, status in wrong]
    assert hooks.system.count() == 0
    assert hooks.system.rows("SELECT FROM events") == []
    assert hooks.counted("unproven") == 12
    both = changed(webhook_signature=f"v1,AAAA {signature}")
    assert send(both, good) == [200, 200]
    assert hooks.system.count() == 2


def test_ingest_that_is_asked_to_end_answers_what_it_has_begun_and_takes_no_more(hooks: Hooks) -> None:
    system = hooks.system
    hooks.start()
    port, path, headers, body = hooks.posting(job(hooks))()
    fields = [f"{name}: {value}" for name, value in {**headers, "Content-Length": len(body)}.items()]
    head = "\r\n".join([f"POST {path} HTTP/1.1", "Host: hooks.example", *fields, "", ""]).encode()
    with socket.create_connection(("127.0.0.1", port), 20) as line:
        line.sendall(head + body[:10])
        # One that came after it is answered, so it was taken.
        assert send(lambda: (port, "/", {}, b"")) == [404]
        system.signal("ingest", signal.SIGTERM)
        until(lambda: send(lambda: (port, "/", {}, b"")) == [0], "no more is taken", 5)
        line.sendall(body[10:])
        assert line.recv(1000).startswith(b"HTTP/1.1 200")
    assert system.processes["ingest"].wait(15) == 0
    assert system.count() == 2


def test_a_door_without_its_settings_or_without_room_says_what_to_set(hooks: Hooks) -> None:
    system = hooks.system
    hooks.start()
    for variables, word in (
        ({"OUTLAST_WEBHOOK_URL": ""}, "OUTLAST_WEBHOOK_URL"),
        ({"OUTLAST_WEBHOOK_KEY_FILE": str(system.folder / "nothing")}, "Cannot read the keys"),
        ({"OUTLAST_WEBHOOK_PORT": str(hooks.port())}, "OUTLAST_WEBHOOK_PORT"),
        ({"OUTLAST_DOORS": "intake,window"}, "OUTLAST_DOORS"),
    ):
        name = system._launch("ingest", f"wrong-{len(system.processes)}", {"OUTLAST_DOORS": "webhooks", **variables})
        assert system.processes[name].wait(30) == 2
        assert word in system.log(name)
