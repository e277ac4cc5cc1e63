"""Telemetry of whole processes: counters that begin anew (FR-70), and clients that cannot leak (FR-73)."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[3]
CANARY = "SECRETMARK7"

COUNTING = """
import sys
from shared.telemetry import http, metrics
server = http.serve("127.0.0.1", 0, live=list, ready=list)
for _ in range(3):
    metrics.EVENTS.add(outcome="accepted")
metrics.SLOTS_BUSY.set(2, stage="verify")
print(server.port, flush=True)
sys.stdin.read()
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **more}


@contextmanager
def counting(**more: str) -> Iterator[int]:
    command = [sys.executable, "-c", COUNTING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(**more)) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.communicate()


def scrape(port: int, series: str) -> float:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        lines: list[str] = answer.read().decode().splitlines()
    [value] = [line.removeprefix(series) for line in lines if line.startswith(series)]
    return float(value)


def test_a_restarted_process_counts_from_the_start_and_its_neighbour_does_not() -> None:
    accepted = 'outlast_events_total{outcome="accepted"} '
    with counting() as neighbour:
        for _ in range(3):
            with counting() as port:
                assert [scrape(port, accepted) for _ in range(5)] == [3.0] * 5
                assert scrape(port, 'outlast_slots_busy{stage="verify"} ') == 2
        assert scrape(neighbour, accepted) == 3.0


def test_files_shared_between_processes_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COUNTING]
    ended = subprocess.run(
        command,
        env=environment(PROMETHEUS_MULTIPROC_DIR=str(tmp_path)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode != 0
    assert "Unset PROMETHEUS_MULTIPROC_DIR" in ended.stderr


# Each of these ends in an error of the library, which is logged; {port} answers with redirects and refusals,
# {closed} with nothing.
CLIENTS = {
    "urllib3": """
import urllib3
pool = urllib3.PoolManager(headers={{"Authorization": "Bearer {canary}", "x-api-key": "{canary}"}})
pool.request("GET", "http://user:{canary}@127.0.0.1:{port}/{canary}?sig={canary}#{canary}", retries=3)
pool.request("GET", "http://127.0.0.1:{closed}/{canary}?sig={canary}", retries=1)
""",
    "minio": """
import minio
store = minio.Minio("127.0.0.1:{port}", access_key="{canary}", secret_key="{canary}", secure=False, region="x")
store.get_object("bucket", "a?{canary}", request_headers={{"x-amz-meta-a": "{canary}"}})
""",
    "psycopg": """
import psycopg
psycopg.connect("postgresql://user:{canary}@127.0.0.1:{closed}/db?options={canary}&sslpassword={canary}")
""",
    "pika": """
import pika
pika.BlockingConnection(pika.URLParameters("amqp://user:{canary}@127.0.0.1:{closed}/v?retry_delay=0"))
""",
    "kombu": """
import kombu
kombu.Connection("amqp://user:{canary}@127.0.0.1:{closed}/v").ensure_connection(max_retries=1, interval_start=0)
""",
    "alembic": """
import sqlalchemy
sqlalchemy.create_engine("postgresql+psycopg://user:{canary}@127.0.0.1:{closed}/db", echo="debug").connect()
""",
    "json": """
import json
json.loads('{{"url": "https://h/{canary}"')
""",
    "pydantic": """
from shared.messages import OutputReadyEvent
OutputReadyEvent.model_validate({{"id": "1", "{canary}": 1, "data": {{"url": ["https://h/{canary}"]}}}})
""",
}
FAILING = """
import structlog
from shared.telemetry import logs, traces
traces.configure("downloader", "console")
logs.configure("downloader", "debug", "json")
def work():
    {body}
with traces.span("transfer"):
    try:
        work()
    except Exception as error:
        structlog.get_logger("test").exception("failed", error=error)
        raise
"""


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if "moved" not in self.path:
            self.send_response(302)
            self.send_header("Location", f"/moved/{CANARY}?token={CANARY}")
        else:
            self.send_response(403)
        body = f"<Error><Code>AccessDenied</Code><StringToSign>GET /{CANARY}</StringToSign></Error>".encode()
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def refusing_port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_failing_client_shows_no_credential_even_at_debug_level(
    client: str, refusing_port: int, closed_port: int
) -> None:
    body = CLIENTS[client].format(canary=CANARY, port=refusing_port, closed=closed_port)
    program = FAILING.format(body=body.strip().replace("\n", "\n    "))
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert CANARY not in ended.stdout + ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 1
    assert [line["event"] for line in lines][-2:] == ["failed", "uncaught"]
    assert traces_of(ended.stderr)[-1]["status"]["status_code"] == "ERROR"


def traces_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
