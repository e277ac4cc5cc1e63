"""Services that are killed, stopped or asked to end, and a broker that goes away: nothing is lost or doubled."""

import json
import os
import signal
import subprocess
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.conftest import OUTLAST, TestDatabase
from tests.system.conftest import SERVICES, System, until
from tests.system.source import Source, picture
from tests.system.sweep import Seen


def all_complete(system: System, number: int) -> None:
    until(lambda: system.count("state = 'complete'") == number, f"all {number} are complete", 90)
    assert system.count() == number
    assert len(system.asset_names()) == number
    assert system.rows("SELECT count(*), count(DISTINCT durable_uri) FROM tasks") == [(number, number)]


@pytest.mark.parametrize("victim", SERVICES)
def test_a_service_that_is_killed_in_the_middle_of_its_work_loses_nothing(system: System, victim: str) -> None:
    """Fault 65: SIGKILL while some tasks are done, some are under way and some wait."""
    number = 60
    system.start_all(OUTLAST_SLOTS="3")
    publishing = Thread(target=system.publish_pictures, args=(number,))
    publishing.start()
    done = {"ingest": "true", "downloader": "staged_at IS NOT NULL", "verifier": "verified_at IS NOT NULL"}
    condition = done.get(victim, "stored_at IS NOT NULL")
    until(lambda: system.count(condition) >= 5, f"{victim} is in the middle of its work")
    system.kill(victim)
    seen = system.count(condition)
    publishing.join(30)
    system.start(victim, OUTLAST_SLOTS="3")
    all_complete(system, number)
    assert seen < number, "the kill came too late to mean anything"


@pytest.mark.parametrize("victim", ["downloader", "verifier", "promoter"])
def test_a_worker_that_wakes_after_its_lease_moves_nothing(system: System, victim: str) -> None:
    """Faults 24-26: SIGSTOP past the lease, a successor finishes, SIGCONT."""
    number = 12
    stage = {"downloader": "download", "verifier": "verify", "promoter": "promote"}[victim]
    for service in SERVICES:
        if service != victim:
            system.start(service)
    late = system.start(victim, name="late", OUTLAST_SLOTS="2")
    system.publish_pictures(number, "slow" if victim == "downloader" else "picture", seconds=1)
    held = f"SELECT lease_id FROM tasks WHERE stage = '{stage}' AND lease_id IS NOT NULL"
    until(lambda: _stopped_with_a_lease(system, late, held), "the worker is stopped while it holds a lease")
    leases = {str(lease) for (lease,) in system.rows(held)}
    system.start(victim, name="successor")
    all_complete(system, number)
    before = system.rows("SELECT * FROM history ORDER BY history_id")
    system.signal(late, signal.SIGCONT)
    until(lambda: "lease_lost" in system.log(late), "the late worker sees that its lease is lost", 30)
    assert system.stop(late) == 0
    assert system.rows("SELECT * FROM history ORDER BY history_id") == before
    lapsed = {str(lease) for (lease,) in system.rows("SELECT lease_id FROM claims WHERE outcome = 'lapsed'")}
    assert leases <= lapsed
    all_complete(system, number)


def _stopped_with_a_lease(system: System, late: str, held: str) -> bool:
    if not system.rows(held):
        return False
    system.signal(late, signal.SIGSTOP)
    if system.rows(held):
        return True
    system.signal(late, signal.SIGCONT)
    return False


def test_a_downloader_that_is_asked_to_end_gives_its_tasks_back_at_once(system: System) -> None:
    """FR-78: released, not lapsed, and nothing charged."""
    system.start("ingest")
    system.start("downloader", name="first", OUTLAST_LEASE_SECONDS="60", OUTLAST_SLOTS="4")
    system.publish_pictures(2, "slow", seconds=40)
    until(lambda: system.count("state = 'downloading'") == 2, "both are under way")
    assert system.stop("first") == 0
    assert system.rows("SELECT state, tries, strikes, lease_id FROM tasks") == [("download_retry", 0, 0, None)] * 2
    assert system.rows("SELECT DISTINCT outcome FROM claims") == [("released",)]
    assert system.objects(system.staging) == []


def half_way(system: System, job: str, *, seconds: float, grace: str) -> None:
    """Bring a downloader named `first` to the middle of a transfer whose link ends in 30 s, and ask it to end."""
    system.start("ingest")
    system.start("downloader", name="first", OUTLAST_LEASE_SECONDS="60", OUTLAST_GRACE_SECONDS=grace)
    system.publish(system.event(system.source.link(f"slow/{job}", life=30, seconds=seconds), job=job, kind="image"))
    until(lambda: system.source.sent(f"slow/{job}") >= len(picture(job)) / 2, "half of the bytes are there")
    system.messages("outlast.download")
    system.signal("first", signal.SIGTERM)


def test_fr78_and_case_66_a_transfer_that_fits_is_finished_by_the_process_that_is_asked_to_end(system: System) -> None:
    """The grace time is 120 s, so the rest fits, and the link of 30 s is not at risk again."""
    half_way(system, "fits", seconds=10.0, grace="120")
    assert system.processes["first"].wait(20) == 0
    assert system.rows("SELECT state, epoch, tries, strikes FROM tasks") == [("verifying", 1, 0, 0)]
    assert system.rows("SELECT outcome FROM claims") == [("staged",)]
    assert system.source.asked("slow/fits") == 1
    assert len(system.messages("outlast.verify")) == 1
    assert system.rows("SELECT h1 FROM tasks") == [(sha256(picture("fits")).hexdigest(),)]


def test_fr78_and_case_66_a_transfer_that_does_not_fit_is_released_at_once_and_saved_by_another(system: System) -> None:
    """The grace time is 10 s, of which 5 are kept; the link of 30 s lives on long enough for a second process."""
    half_way(system, "long", seconds=10.0, grace="10")
    until(lambda: system.count("state = 'download_retry'") == 1, "the task is released at once", 4.0)
    assert system.rows("SELECT tries, strikes, lease_id, wake_at FROM tasks") == [(0, 0, None, None)]
    assert system.processes["first"].wait(10) == 0
    ((_, hint),) = system.messages("outlast.download")
    assert system.rows("SELECT task_id::text FROM tasks") == [(json.loads(hint)["task_id"],)]
    assert system.objects(system.staging) == []
    system.start("downloader", name="second")
    until(lambda: system.count("state = 'verifying'") == 1, "the second process has it", 25)
    claims = "SELECT outcome, started_at < url_expires_at, tries FROM claims JOIN tasks USING (task_id)"
    assert system.rows(f"{claims} ORDER BY claims.epoch") == [("released", True, 0), ("staged", True, 0)]


def test_work_goes_on_without_a_broker_and_its_return_needs_no_restart(tmp_path: Path) -> None:
    """RabbitMQ is stopped right after intake; everything accepted completes; later events flow again."""
    folder = tmp_path / "stack"
    source = Source()
    environment = {
        **os.environ,
        "OUTLAST_EGRESS_ALLOW": source.pair,
        "OUTLAST_EGRESS_HTTP": "true",
        "OUTLAST_POLL_SECONDS": "0.5",
    }

    def outlast(*arguments: str) -> None:
        subprocess.run(
            [OUTLAST, *arguments, "--dir", str(folder)], check=True, env=environment, capture_output=True, timeout=150
        )

    outlast("up", "--detach", "--fast")
    try:
        stack = json.loads((folder / "stack.json").read_text())
        system = _attached(folder, stack, source)
        system.publish_pictures(20, "slow", seconds=1)
        until(lambda: system.count() == 20, "all are accepted")
        _stop_broker(folder)
        assert system.count("state = 'complete'") < 20, "the broker was stopped too late to mean anything"
        until(lambda: system.count("state = 'complete'") == 20, "all are complete without a broker", 90)
        assert system.count("announced_at IS NOT NULL") < 20
        services = {name: _pid(folder, name) for name in SERVICES}
        outlast("up", "--servers-only", "--detach", "--fast")
        system.publish(system.event(source.link("picture/after"), job="after", kind="image"))
        until(lambda: system.count("state = 'complete'") == 21, "an event after the return is complete", 60)
        until(lambda: system.count("announced_at IS NOT NULL") == 21, "all are announced", 60)
        assert {name: _pid(folder, name) for name in SERVICES} == services
    finally:
        outlast("down")
        source.close()


def _attached(folder: Path, stack: dict[str, Any], source: Source) -> System:
    """Eyes and hands on a stack that `outlast up` runs."""
    server, broker = stack["postgres"], stack["rabbitmq"]
    system = System.__new__(System)
    system.database = TestDatabase(server["database"], server["host"], server["port"], server["password"])
    system.amqp_url = (
        f"amqp://{broker['user']}:{broker['password']}@{broker['host']}:{broker['port']}/{broker['vhost']}"
    )
    system.source = source
    system.seen = Seen()
    return system


def _pid(folder: Path, name: str) -> int:
    return int(json.loads((folder / "run" / f"{name}.json").read_text())["pid"])


def _stop_broker(folder: Path) -> None:
    pid = _pid(folder, "rabbitmq")
    os.kill(pid, signal.SIGTERM)
    until(lambda: not Path(f"/proc/{pid}").exists(), "RabbitMQ has ended", 60)
