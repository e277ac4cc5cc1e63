"""Whole services as processes on real servers, driven from outside."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pika
import psycopg
import pytest
from minio import Minio

from tests.conftest import ROOT, TestDatabase
from tests.faults.logs import ServerLogs, log_files_that_leak
from tests.system.forks import Forked, Forks
from tests.system.source import Source
from tests.system.sweep import Seen, leaks

SERVICES = ("ingest", "downloader", "verifier", "promoter")
ROLES = {name: f"outlast_{name}" for name in SERVICES}
LOADED = [
    *(f"services.{name}.__main__" for name in SERVICES),
    *("outlast.cli", "shared.db.migrations", "examples.poster.__main__"),
]


def until(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    """Ask again and again until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}"
        Event().wait(0.03)


class System:
    """The four services on a database, a virtual host and buckets of their own."""

    def __init__(
        self, folder: Path, database: TestDatabase, amqp_url: str, s3: dict[str, Any], source: Source, forks: Forks
    ) -> None:
        self.folder = folder
        self.forks = forks
        self.database = database
        self.amqp_url = amqp_url
        self.source = source
        self.seen = Seen()
        self.prefix = uuid4().hex[:12]
        self.staging, self.assets = f"{self.prefix}-staging", f"{self.prefix}-assets"
        self.s3 = Minio(f"{s3['host']}:{s3['port']}", s3["access_key"], s3["secret_key"], secure=False)
        self.processes: dict[str, subprocess.Popen[bytes] | Forked] = {}
        self.ports: dict[str, int] = {}
        for bucket in (self.staging, self.assets):
            self.s3.make_bucket(bucket)
        (folder / "ring").write_text("k1:" + base64.b64encode(os.urandom(32)).decode() + "\n")
        (folder / "s3").write_text(s3["secret_key"])
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OUTLAST_")},
            "OUTLAST_AMQP_URL": amqp_url,
            "OUTLAST_S3_ENDPOINT": s3["endpoint"],
            "OUTLAST_S3_REGION": s3["region"],
            "OUTLAST_S3_ACCESS_KEY": s3["access_key"],
            "OUTLAST_S3_SECRET_KEY_FILE": str(folder / "s3"),
            "OUTLAST_STAGING_BUCKET": self.staging,
            "OUTLAST_ASSETS_BUCKET": self.assets,
            "OUTLAST_KEYRING_FILE": str(folder / "ring"),
            "OUTLAST_EGRESS_ALLOW": source.pair,
            "OUTLAST_EGRESS_HTTP": "true",
            "OUTLAST_LEASE_SECONDS": "3",
            "OUTLAST_RENEW_SECONDS": "1",
            "OUTLAST_POLL_SECONDS": "0.5",
            "OUTLAST_GRACE_SECONDS": "8",
            "OUTLAST_LOG_LEVEL": "debug",
            "OUTLAST_TRACES": "console",
        }
        migrating = forks.start(["outlast", "migrate"], self.environment, folder / "migrate.log")
        assert migrating.wait(60) == 0, self.log("migrate")

    def start(self, service: str, *, name: str | None = None, **variables: str) -> str:
        """Start a service and wait until it is ready; `name` tells two of the same service apart."""
        name = self._launch(service, name or service, variables)
        self._await_ready(name)
        return name

    def _launch(self, service: str, name: str, variables: dict[str, str]) -> str:
        self.ports.pop(name, None)
        environment = {
            **self.environment,
            "OUTLAST_DATABASE_URL": self.database.url(ROLES[service]),
            **variables,
        }
        log = self.folder / f"{name}.log"
        # What the interpreter itself reads needs a process from its very start.
        if all(variable.startswith("OUTLAST_") for variable in variables):
            self.processes[name] = self.forks.start([f"services.{service}"], environment, log)
            return name
        command = [sys.executable, "-m", f"services.{service}"]
        with log.open("ab") as words:
            self.processes[name] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=words, stderr=words)
        return name

    def _await_ready(self, name: str) -> None:
        until(lambda: self._port(name), f"{name} tells its port")
        until(lambda: self.http(name, "/readyz")[0] == 200, f"{name} is ready", 60)

    def _port(self, name: str) -> bool:
        """Learn the port that a service took from the last start in its log."""
        told = re.findall(
            rf'"event": "started".*"http_port": (\d+), "pid": {self.processes[name].pid}\b', self.log(name)
        )
        self.ports |= {name: int(told[-1])} if told else {}
        return bool(told)

    def start_all(self, **variables: str) -> None:
        for name in [self._launch(service, service, variables) for service in SERVICES]:
            self._await_ready(name)

    def signal(self, name: str, number: int) -> None:
        self.processes[name].send_signal(number)

    def kill(self, name: str) -> None:
        self.signal(name, signal.SIGKILL)
        self.processes[name].wait(10)

    def stop(self, name: str) -> int:
        self.signal(name, signal.SIGTERM)
        return self.processes[name].wait(30)

    def stop_all(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def log(self, name: str) -> str:
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def http(self, name: str, path: str) -> tuple[int, str]:
        status, text = self._http(name, path)
        self.seen.told.add(text)
        return status, text

    def _http(self, name: str, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def event(self, url: str, *, job: str, account: str = "studio", **data: object) -> tuple[str, bytes]:
        """A routing key and a body for the intake exchange."""
        body = {
            "specversion": "1.0",
            "id": data.pop("event_id", uuid4().hex),
            "source": "tests",
            "type": "outlast.output.ready",
            "data": {"provider": "tests", "job_id": job, "url": url, **data},
        }
        return f"{account}.outlast.output.ready", json.dumps(body).encode()

    def publish(self, *messages: tuple[str, bytes]) -> None:
        """Publish to the intake, each confirmed."""
        with pika.BlockingConnection(pika.URLParameters(self.amqp_url)) as connection:
            channel = connection.channel()
            channel.confirm_delivery()
            for key, body in messages:
                self.seen.published.add(body)
                channel.basic_publish("outlast.intake", key, body, mandatory=True)

    def publish_pictures(self, number: int, path: str = "picture", **query: int) -> None:
        self.publish(
            *(
                self.event(self.source.link(f"{path}/{n}", **query), job=f"job-{path}-{n}", kind="image")
                for n in range(number)
            )
        )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database.url()) as connection:
            return connection.execute(statement.encode()).fetchall()

    def count(self, condition: str = "true") -> int:
        return int(self.rows(f"SELECT count(*) FROM tasks WHERE {condition}")[0][0])

    def objects(self, bucket: str) -> list[str]:
        return [found.object_name or "" for found in self.s3.list_objects(bucket, recursive=True)]

    def asset_names(self) -> list[str]:
        return [name for name in self.objects(self.assets) if not name.endswith(".outlast.json")]

    def read(self, uri: str) -> bytes:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        answer = self.s3.get_object(bucket, key)
        try:
            return answer.read()
        finally:
            answer.close()
            answer.release_conn()

    def messages(self, queue: str) -> list[tuple[str, bytes]]:
        """Take every message of a queue: routing keys and bodies."""
        found: list[tuple[str, bytes]] = []
        with pika.BlockingConnection(pika.URLParameters(self.amqp_url)) as connection:
            channel = connection.channel()
            while True:
                method, properties, body = channel.basic_get(queue, auto_ack=True)
                if method is None:
                    return found
                self.seen.message(queue, method.routing_key, vars(properties), body)
                found.append((method.routing_key, body))

    def see_metrics(self) -> None:
        """Read the metrics of all services that run."""
        for name, process in self.processes.items():
            if process.poll() is None and name in self.ports:
                process.send_signal(signal.SIGCONT)
                self.http(name, "/metrics")


@pytest.fixture
def source() -> Iterator[Source]:
    server = Source()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def no_log_tells_a_link(tmp_path: Path, servers: dict[str, Any]) -> Iterator[None]:
    """Neither a service's log nor one of a server, be it the test's own or shared, holds any part of a link."""
    shared = ServerLogs()
    yield
    assert [*log_files_that_leak(tmp_path), *shared.leaks()] == []


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Starts services without the seconds that their imports take."""
    forks = Forks(LOADED)
    yield forks
    forks.close()


@pytest.fixture
def unswept(
    tmp_path: Path, database: TestDatabase, amqp_url: str, servers: dict[str, Any], source: Source, forks: Forks
) -> Iterator[System]:
    """The system, for a test that looks itself at what is left."""
    running = System(tmp_path, database, amqp_url, servers["s3"], source, forks)
    yield running
    running.stop_all()


@pytest.fixture
def sweep(unswept: System, management: Callable[..., Any]) -> Callable[[], list[str]]:
    """Stops the services and gives the places where they left any part of a link."""

    def leaks_now() -> list[str]:
        unswept.see_metrics()
        unswept.stop_all()
        queues = management("GET", f"queues/{unswept.amqp_url.rpartition('/')[2]}")
        names = [queue["name"] for queue in queues]
        return leaks(unswept.database.url(), unswept.amqp_url, names, unswept.s3, unswept.prefix, unswept.seen)

    return leaks_now


@pytest.fixture
def system(unswept: System, sweep: Callable[[], list[str]]) -> Iterator[System]:
    """The system; after the test nothing that it left anywhere holds any part of a link."""
    yield unswept
    assert sweep() == []
