"""`outlast up` and `outlast down` as a person uses them."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pika
import psycopg
import pytest
from dotenv import dotenv_values
from minio import Minio
from minio.error import InvalidResponseError
from pika.exceptions import ChannelClosedByBroker, ProbableAuthenticationError

from tests.conftest import OUTLAST
from tests.system.conftest import SERVICES, until


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of a stack, with a blank in its name; whatever a failed test leaves running is stopped."""
    place = tmp_path / "local stack"
    yield place
    subprocess.run([OUTLAST, "down", "--dir", str(place)], check=True, capture_output=True, timeout=120)


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """`outlast up` in the foreground, with the addresses it printed; its other words go to `folder`.log."""
    command = [OUTLAST, "up", "--fast", "--json", "--dir", str(folder), *options]
    with (
        folder.with_suffix(".log").open("w") as words,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=words, text=True) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, json.loads(line or "{}")
        finally:
            process.kill()


def words(folder: Path) -> str:
    return folder.with_suffix(".log").read_text()


def detached(folder: Path) -> dict[str, Any]:
    """Start the servers detached, and read what `stack.json` says."""
    command = [OUTLAST, "up", "--servers-only", "--detach", "--fast", "--dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=150)
    description: dict[str, Any] = json.loads((folder / "stack.json").read_text())
    return description


def down(folder: Path, *options: str) -> str:
    command = [OUTLAST, "down", "--dir", str(folder), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=150).stdout


def processes_of(folder: Path) -> list[str]:
    """The commands of all processes that name the folder in their arguments or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes()
            if str(folder).encode() in arguments + (process / "environ").read_bytes():
                found.append(arguments.replace(b"\0", b" ").decode())
        except OSError:
            continue  # it ended meanwhile
    return found


def s3_of(description: dict[str, Any]) -> Minio:
    s3 = description["s3"]
    return Minio(f"{s3['host']}:{s3['port']}", s3["access_key"], s3["secret_key"], secure=False)


def test_data_and_ports_are_kept_and_a_port_that_was_taken_is_changed(folder: Path) -> None:
    first = detached(folder)
    with psycopg.connect(first["postgres"]["url"], autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (word text)")
    s3_of(first).make_bucket("kept")
    assert detached(folder) == first
    stopped = json.loads(down(folder, "--json"))
    assert {"postgres", "rabbitmq", "s3"} <= {name for name, ending in stopped.items() if ending == "stopped"}
    until(lambda: not processes_of(folder), "no process of the stack is left")

    with socket.create_server(("127.0.0.1", first["rabbitmq"]["port"])):
        second = detached(folder)
        assert second["ports"].pop("amqp") != first["ports"].pop("amqp")
        assert second["ports"] == first["ports"]
        with pika.BlockingConnection(pika.URLParameters(second["rabbitmq"]["url"])) as connection:
            assert connection.is_open
    with psycopg.connect(second["postgres"]["url"]) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    assert [bucket.name for bucket in s3_of(second).list_buckets()] == ["kept"]


def test_a_wrong_password_or_key_is_refused_by_every_server(servers: dict[str, Any]) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(servers["postgres"]["url"], password="wrong")
    broker = pika.URLParameters(servers["rabbitmq"]["url"])
    broker.credentials = pika.PlainCredentials(servers["rabbitmq"]["user"], "wrong")
    with pytest.raises(ProbableAuthenticationError):
        pika.BlockingConnection(broker)
    s3 = s3_of({"s3": servers["s3"] | {"secret_key": "wrong"}})
    with pytest.raises(InvalidResponseError, match="SignatureDoesNotMatch"):
        s3.list_buckets()


def test_the_whole_stack_comes_up_reports_the_dead_starts_them_again_and_goes_down_on_a_signal(folder: Path) -> None:
    with running(folder) as (process, addresses):
        for service in SERVICES:
            with urlopen(addresses[service], timeout=10) as answer:
                assert answer.status == 200
        variables = dotenv_values(folder / "outlast.env")
        assert (folder / "outlast.env").stat().st_mode & 0o077 == 0
        assert_publishes_to_the_intake_only(variables["OUTLAST_AMQP_URL"] or "")
        with psycopg.connect(variables["OUTLAST_DATABASE_URL"] or "") as connection:
            assert connection.execute("SELECT count(*) FROM public_tasks").fetchone() == (0,)

        for name in ("verifier", "s3"):
            kill(folder, name)
        assert f"outlast up --dir '{folder}'" in words(folder), "and how to start it again"
        again = up_again(folder)
        assert "verifier    had ended by itself; it is started again" in again
        assert "s3          had ended by itself; it is started again" in again
        with urlopen(addresses["verifier"], timeout=10) as answer:
            assert answer.status == 200
        assert parent_of(pid_of(folder, "verifier")) == process.pid, "it ends with its watcher like the others"
        assert "This stack is up already" in up_again(folder)
        process.send_signal(signal.SIGTERM)
        assert process.wait(90) == 0
    until(lambda: not processes_of(folder), "no process of the stack is left")


def pid_of(folder: Path, name: str) -> int:
    return int(json.loads((folder / "run" / f"{name}.json").read_text())["pid"])


def kill(folder: Path, name: str) -> None:
    """Kill a part of a watched stack, and wait until its death is told."""
    subprocess.run(["kill", "-KILL", str(pid_of(folder, name))], check=True)
    until(lambda: f"{name} ended by itself" in words(folder), f"the death of {name} is told")


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def up_again(folder: Path) -> str:
    command = [OUTLAST, "up", "--fast", "--dir", str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=150).stdout


def assert_publishes_to_the_intake_only(amqp_url: str) -> None:
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_publish("outlast.intake", "studio.not-an-event", b"{}", mandatory=True)
        with pytest.raises(ChannelClosedByBroker, match="ACCESS_REFUSED"):
            channel.basic_publish("outlast.results", "asset.complete.studio", b"{}")


def test_a_starter_that_is_killed_leaves_no_process(folder: Path) -> None:
    with running(folder, "--servers-only") as (process, addresses):
        assert set(addresses) >= {"amqp", "postgres", "s3"}
        assert len(processes_of(folder)) >= 4
        process.kill()
        process.wait(10)
    until(lambda: not processes_of(folder), "no process of the stack is left")
    assert "had ended by itself" in down(folder)


def test_down_is_fine_where_nothing_runs(tmp_path: Path) -> None:
    assert "Nothing runs" in down(tmp_path / "nowhere")
    assert down(tmp_path / "nowhere", "--json") == "{}\n"
    assert not (tmp_path / "nowhere").exists()
