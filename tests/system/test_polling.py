"""Jobs that are asked for, through whole services: found by the poll alone, by one process or another, and captured."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.faults.answers import answer, redirect
from tests.faults.canary import tells
from tests.faults.server import FaultServer, Line, Script
from tests.system.conftest import System, until
from tests.system.halts import LOCK, TRIGGERS, WAITING
from tests.system.provider import Provider, in_order, provider_of, record, write_key
from tests.system.soundness import check_sound
from tests.system.source import CANARY, picture

POLL = """
[poll]
url = "{origin}/jobs/{{job_id}}"
error = "base_resp.status_code || code"
gone = ["UNKNOWN"]
limited = [1002, 1303]
output_url = "url || @"
output_error = "code"
first_seconds = 0.2
every_seconds = 0.5
most_seconds = 2
per_second = 20
"""
BFL = """\
name = "bfl"
[credential]
header = "x-goog-api-key"
file = "{folder}/{{provider_account}}.key"
origins = ["{origin}"]
[poll]
first_seconds = 0.2
every_seconds = 0.5
outputs = "result"
output_url = "sample"
[refresh]
outputs = "result"
output_url = "sample"
"""
SECOND = """
CREATE TRIGGER halt_second AFTER INSERT ON tasks FOR EACH ROW
    WHEN (NEW.output_id = '1') EXECUTE FUNCTION halt('second');
INSERT INTO halts VALUES ('second', 'outlast_ingest');
"""
KEY = f"KEY-{CANARY}"


@pytest.fixture
def elsewhere() -> Iterator[FaultServer]:
    """An origin that is none of the provider's."""
    with FaultServer(answer(b"{}")) as server:
        yield server


@pytest.fixture
def acme(system: System, elsewhere: FaultServer) -> Iterator[Provider]:
    with provider_of(system, elsewhere) as provider:
        folder = system.folder / "providers"
        values = {"folder": folder, "origin": provider.api.url("")}
        with (folder / "acme.toml").open("a") as file:
            file.write(POLL.format(**values))
        (folder / "bfl.toml").write_text(BFL.format(**values))
        write_key(system, "default", KEY)
        yield provider


def started(job: str, *, age: float = 120.0, **data: Any) -> tuple[str, bytes]:
    """The event of a job that began so many seconds ago."""
    began = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
    told = {"provider": "acme", "job_id": job, "started_at": began, **data}
    body = {"id": uuid4().hex, "source": "tests", "type": "outlast.generation.started", "data": told}
    return "studio.outlast.generation.started", json.dumps({"specversion": "1.0", **body}).encode()


def images(acme: Provider, *jobs: str) -> dict[str, bytes]:
    """Pictures at the CDN, one for each job."""
    bodies = {job: picture(job) for job in jobs}
    acme.files |= {job: answer(body) for job, body in bodies.items()}
    return bodies


def running_then(*scripts: Script) -> Script:
    return in_order(answer(b'{"status": "running"}'), *scripts)


def test_jobs_whose_webhooks_never_came_are_found_and_captured(system: System, acme: Provider) -> None:
    bodies = images(acme, "one", "two", "three")
    acme.jobs |= {job: running_then(record(acme.link(job))) for job in bodies}
    system.start_all()
    system.publish(*(started(job, kind="image") for job in bodies))
    check_sound(system, bodies)
    assert {key for job in bodies for key in acme.keys_shown(f"/jobs/{job}")} == {KEY}


def test_fr13_two_accounts_of_a_provider_have_their_own_keys_to_jobs_and_files(system: System, acme: Provider) -> None:
    """The form of Gemini: the link is on the API, and 403 without its account's key."""
    bodies = images(acme, "mine", "theirs")

    def only(key: str, then: Script) -> Script:
        refusal = answer(b'{"error": {"status": "PERMISSION_DENIED"}}', status=403)
        return lambda line: (then if line.request.headers.get("x-goog-api-key") == key else refusal)(line)

    for job, key in (("mine", KEY), ("theirs", "KEY-main")):
        acme.files[job + "-content"] = only(key, redirect(acme.link(job)))
        acme.jobs[job] = only(key, record(acme.content(job + "-content")))
    system.start_all()
    system.publish(started("mine", kind="image"), started("theirs", kind="image", provider_account="main"))
    check_sound(system, bodies)
    assert (acme.keys_shown("/files/mine-content"), acme.keys_shown("/files/theirs-content")) == ({KEY}, {"KEY-main"})


def test_an_ingest_without_the_poller_asks_nobody(system: System, acme: Provider) -> None:
    acme.jobs["one"] = record(acme.link("one"))
    system.start("ingest", OUTLAST_DOORS="intake")
    system.publish(started("one"))
    until(lambda: system.rows("SELECT due_at < now() FROM jobs") == [(True,)], "the job is due")
    system.start("ingest", name="poller", OUTLAST_DOORS="poller")
    until(lambda: system.count("state = 'output_ready'") == 1, "another process asks")
    assert acme.asked("/jobs/one") == 1
    assert 'call="poll"' not in system.http("ingest", "/metrics")[1]
    assert 'call="poll"' in system.http("poller", "/metrics")[1]


def test_killed_in_the_middle_of_a_question_and_of_storing_two_outputs(system: System, acme: Provider) -> None:
    """Both outputs are captured once each, whichever of the steps never was."""
    arrived = Event()

    def hang(line: Line) -> None:
        arrived.set()
        line.hold()

    images(acme, "first", "second")
    acme.jobs["job"] = in_order(hang, record(acme.link("first"), acme.link("second")))
    with psycopg.connect(system.database.url(), autocommit=True) as connection:
        connection.execute(TRIGGERS.encode())
        connection.execute(SECOND.encode())
        connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        system.start_all()
        system.publish(started("job", kind="image"))
        assert arrived.wait(30)
        system.kill("ingest")
        give_back(connection)
        system.start("ingest")
        until(lambda: connection.execute(WAITING, ("outlast-ingest",)).fetchall(), "the second output waits")
        assert system.rows("SELECT output_id FROM tasks") == [("0",)]
        waiting = connection.execute(WAITING, ("outlast-ingest",)).fetchall()
        system.kill("ingest")
        connection.execute("SELECT pg_terminate_backend(%s)", waiting[0])
        connection.execute("DELETE FROM halts")
        connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        give_back(connection)
        system.start("ingest")
        until(lambda: system.count("state = 'complete'") == 2, "both are complete", 90)
    assert sorted(system.read(uri) for (uri,) in system.rows("SELECT durable_uri FROM tasks")) == sorted(
        [picture("first"), picture("second")]
    )
    assert system.rows("SELECT output_id FROM tasks ORDER BY 1") == [("0",), ("1",)]
    until(lambda: system.rows("SELECT due_at IS NULL FROM jobs") == [(True,)], "all is known of the job")


def give_back(connection: psycopg.Connection[Any]) -> None:
    """Let the leases of a killed poller be over."""
    connection.execute("UPDATE jobs SET due_at = now()")


def test_a_polling_address_is_asked_for_job_and_fresh_link_and_one_elsewhere_is_not(
    system: System, acme: Provider, elsewhere: FaultServer
) -> None:
    """The form of BFL: no address in the entry; the first link is dead, and the same address gives another."""
    bodies = images(acme, "good", "bad")
    dead = system.source.link("gone", life=-5)

    def sample(link: str) -> Script:
        return answer(f'{{"status": "succeeded", "result": {{"sample": "{link}"}}}}'.encode())

    acme.jobs["good"] = running_then(sample(dead), sample(acme.link("good")))
    system.start_all()
    given = {job: acme.api.url(f"/jobs/{job}?sig={CANARY}") for job in ("good", "bad")}
    system.publish(
        started("good", provider="bfl", kind="image", record_url=given["good"]),
        started("bad", provider="bfl", kind="image", record_url=elsewhere.url(f"/jobs/bad?sig={CANARY}")),
    )
    until(lambda: system.rows("SELECT count(*) FROM tasks WHERE state = 'complete'") == [(1,)], "one is complete")
    assert system.read(system.rows("SELECT durable_uri FROM tasks WHERE state = 'complete'")[0][0]) == bodies["good"]
    assert acme.asked("/jobs/good") == 3
    assert system.rows("SELECT last_reason FROM jobs WHERE job_id = 'bad'") == [("host_not_listed",)]
    assert elsewhere.requests == []
    assert (acme.asked("/jobs/bad"), acme.keys_shown("/jobs/good")) == (0, {KEY})


def asked(system: System, number: int) -> bool:
    return system.rows("SELECT count(*) FROM jobs WHERE asked > 0") == [(number,)]


def test_what_fails_while_it_is_asked_for_tells_nothing_and_is_counted(system: System, acme: Provider) -> None:
    echo = f"no {KEY}, see https://h.test/{CANARY}?sig={CANARY}"
    acme.jobs |= {
        "refused": answer(echo.encode(), status=401),
        "odd": answer(f'{{"status": "at https://h.test/{CANARY}"}}'.encode()),
        "broken": answer(echo.encode()),
        "limited": answer(b'{"base_resp": {"status_code": 1002}}', "Retry-After: 1"),
        "metadata": redirect(f"http://169.254.169.254/{CANARY}"),
    }
    system.start("ingest")
    for number, job in enumerate(acme.jobs, 1):
        # One after the other, as the one that has too many requests pauses all.
        system.publish(started(job))
        until(partial(asked, system, number), f"{job} was asked for")
    until(lambda: system.rows("SELECT min(asked) > 1 FROM jobs") == [(True,)], "all were asked for again")
    _, text = system.http("ingest", "/metrics")
    assert 'outlast_provider_calls_total{call="poll",outcome="refused",provider="acme"}' in text
    assert '"event": "asked_in_vain"' in system.log("ingest")
    assert "Check the key of this provider account" in system.log("ingest")
    assert system.count("state = 'generating'") == 5
    reasons = dict(system.rows("SELECT job_id, last_reason FROM jobs"))
    assert reasons["refused"] == "credential_refused"
    assert reasons["metadata"] == "blocked_address"
    assert not tells(text + system.log("ingest"))


def test_at_sigterm_a_question_is_broken_off_and_asked_by_the_next(system: System, acme: Provider) -> None:
    arrived = Event()

    def hang(line: Line) -> None:
        arrived.set()
        line.hold()

    acme.jobs["one"] = in_order(hang, record(acme.link("one")))
    system.start("ingest")
    system.publish(started("one"))
    assert arrived.wait(30)
    since = time.monotonic()
    assert system.stop("ingest") == 0
    assert time.monotonic() - since < 8
    assert system.rows("SELECT due_at <= now() FROM jobs") == [(True,)]
    system.start("ingest")
    until(lambda: system.count("state = 'output_ready'") == 1, "the next one asked")
