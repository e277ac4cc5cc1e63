"""A link is a credential: what it holds is found in no sink, and would be found if it were there."""

import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pika
import psycopg

from tests.faults.canary import CANARY, tells
from tests.faults.logs import ServerLogs, log_files_that_leak
from tests.system.conftest import System, until

PG_DUMP = max(Path("/usr/lib/postgresql").glob("*/bin/pg_dump"))
LOUD = ("log_statement = 'all'", "log_min_duration_statement = 0", "log_parameter_max_length_on_error = -1")


def links(system: System) -> list[tuple[str, str]]:
    """Links that become assets, and links that fail in every way, with the name of their job."""
    here = f"http://{system.source.pair}"
    return [
        ("picture", system.source.link("picture/x")),
        ("page", system.source.link("html/x")),
        ("gone", system.source.link("gone/x")),
        ("expired", system.source.link("picture/x", life=-60)),
        ("unsigned", f"{here}/picture/{CANARY}?{CANARY}"),
        ("user", f"http://user:{CANARY}@127.0.0.1:1/{CANARY}?{CANARY}#{CANARY}"),
        ("dots", f"{here}/{CANARY}/../x?{CANARY}"),
        ("mark", f"http://h.test&sig={CANARY}"),
        ("slash", f"{here}\\{CANARY}"),
        ("port", f"http://127.0.0.1:{CANARY}/"),
        ("scheme", f"file:///{CANARY}"),
        ("none", CANARY),
        ("private", f"http://169.254.169.254/{CANARY}?{CANARY}"),
        ("data", f"data:text/{CANARY},no picture"),
        ("broken", f"data:image/png;base64,{CANARY}*"),
    ]


def test_fault_109_a_canary_in_every_link_is_found_in_no_sink(system: System, database: Any) -> None:
    """FR-73: at debug level, with the database's own log of every statement with its values, and in a dump."""
    server = ServerLogs()
    with psycopg.connect(database.url(), autocommit=True) as connection:
        for setting in LOUD:
            connection.execute(f"ALTER DATABASE {database.name} SET {setting}".encode())
    system.start_all()
    expected = [system.event(url, job=job, ready_at="2026-01-01T00:00:00Z") for job, url in links(system)]
    misplaced = system.event(system.source.link("picture/y"), job=system.source.link("picture/y"))
    system.publish(*expected, misplaced, ("studio.outlast.output.ready", f'{{"url": "http://x/{CANARY}"'.encode()))
    ended = "state IN ('complete', 'needs_attention')"
    until(lambda: system.count(ended) == len(expected), "all came to their end", 90)
    until(lambda: system.count("announce_at IS NOT NULL") == 0, "all are announced")
    until(lambda: system.rows("SELECT count(*) FROM rejected_events") == [(2,)], "two were rejected")
    assert system.rows("SELECT job_id FROM tasks WHERE state = 'complete'") == [("picture",)]
    told = server.new("postgres.log")
    assert told.count("INSERT INTO sources") >= len(expected), "every statement is in the log"
    assert server.leaks() == []
    dump = subprocess.run([PG_DUMP, database.url()], check=True, capture_output=True, text=True, timeout=60).stdout
    assert "COPY public.sources" in dump
    assert not tells(dump)
    assert tells(system.source.link("x")), "the canary is in the links themselves"


def send(system: System, exchange: str, key: str, body: bytes, **headers: str) -> None:
    with pika.BlockingConnection(pika.URLParameters(system.amqp_url)) as connection:
        connection.channel().basic_publish(exchange, key, body, pika.BasicProperties(headers=dict(headers)))


def put(system: System, name: str, body: bytes, **metadata: str) -> None:
    system.s3.put_object(system.assets, name, io.BytesIO(body), len(body), metadata=dict(metadata))


def test_a_canary_in_any_sink_is_found(unswept: System, sweep: Callable[[], list[str]]) -> None:
    own = [unswept.event(unswept.source.link(name), job=name) for name in "xy"]
    unswept.publish(own[0])
    assert unswept.messages("outlast.intake") == [own[0]]
    unswept.publish(own[1])
    with psycopg.connect(unswept.database.url(), autocommit=True) as connection:
        connection.execute(f"INSERT INTO lanes VALUES ('x', 'of {CANARY}')".encode())
        connection.execute(f"INSERT INTO redeliveries VALUES (encode('{CANARY}', 'hex'), 1, now())".encode())
    send(unswept, "outlast.results", "asset.complete.x", b"taken " + CANARY.encode())
    assert len(unswept.messages("outlast.results")) == 1
    send(unswept, "outlast.results", "asset.complete.x", b"left " + CANARY.encode())
    send(unswept, "outlast.tasks", "download", b"{}", x=CANARY)
    send(unswept, "outlast.intake", "studio.outlast.output.ready", CANARY.encode())
    put(unswept, f"named/{CANARY}", b"x")
    put(unswept, "holding", f"x {CANARY}".encode())
    put(unswept, "noted", b"x", note=CANARY)
    unswept.seen.told.add(f"outlast_x{{url={CANARY}}} 1")
    places, assets = sweep(), f"object {unswept.assets}"
    expected = [
        "table public.lanes",
        "table public.redeliveries",
        "seen: ...seen: outlast.results asset.complete.x b'taken",
        "seen: ...seen: outlast.results asset.complete.x b'left",
        "seen: ...seen: outlast.intake studio.outlast.output.ready b'CANARY",
        f"{assets}/named/{CANARY}",
        f"bytes of {assets}/named/{CANARY}",
        f"bytes of {assets}/holding",
        f"{assets}/noted",
        "seen: ...seen: outlast_x",
    ]
    found = {place for place in places if place.startswith(tuple(expected))}
    (header,) = set(places) - found
    assert "'headers': {'x': 'CANARY" in header
    assert len(found) == len(places) - 1 == len(expected)


def test_a_canary_in_a_log_is_found(tmp_path: Path) -> None:
    log = tmp_path / "log" / "postgres.log"
    log.parent.mkdir()
    log.write_bytes(b"\xff\nDETAIL:  Failing row contains (\\x" + CANARY.encode().hex().encode() + b")\n")
    assert len(log_files_that_leak(tmp_path)) == 1
    log.unlink()
