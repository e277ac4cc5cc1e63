"""A backlog through `outlast publish --lines`: broken off and begun again, no event is taken twice."""

import json
import os
import signal
import subprocess

import pytest

from tests.conftest import OUTLAST
from tests.system.conftest import System, until

FULL = os.environ.get("OUTLAST_DRILLS") == "full"
EVENTS = 10_000 if FULL else 600


def begun(system: System, lines: bytes) -> subprocess.Popen[bytes]:
    """The command with the lines on its standard input, until at least 50 events are told to be safe."""
    words = [OUTLAST, "publish", "--account", "studio", "--lines", "-", "--json"]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=system.environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    # What comes at once is what a pipe holds; the rest comes never, so that the command cannot be at its end.
    process.stdin.write(lines[:60_000])
    process.stdin.flush()
    for _ in range(50):
        assert b"task_id" in process.stdout.readline()
    return process


def broken_off(process: subprocess.Popen[bytes], number: int) -> int:
    process.send_signal(number)
    process.communicate(timeout=60)
    return process.returncode


@pytest.mark.timeout(600)
def test_a_backlog_that_is_killed_interrupted_and_sent_again_makes_each_task_once(system: System) -> None:
    system.start("ingest")
    rows = [
        {"provider": "tests", "job_id": f"job-{number}", "url": system.source.link(f"picture/{number}")}
        for number in range(EVENTS)
    ]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    assert broken_off(begun(system, lines), signal.SIGKILL) == -signal.SIGKILL
    assert broken_off(begun(system, lines), signal.SIGINT) == 130

    words = [OUTLAST, "publish", "--account", "studio", "--lines", "-"]
    done = subprocess.run(words, input=lines, env=system.environment, capture_output=True, timeout=300, check=True)
    print(done.stderr.decode())
    assert f"{EVENTS:,} sent (" in done.stderr.decode()
    until(lambda: system.count() == EVENTS, "every event is a task", 300)
    until(lambda: intake_is_empty(system), "all that was sent is read")
    ((events, sources),) = system.rows("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM sources)")
    assert (system.count(), events, sources) == (EVENTS, EVENTS, EVENTS)
    assert system.rows("SELECT count(*) FROM rejected_events") == [(0,)]


def intake_is_empty(system: System) -> bool:
    """Whether the reader has handled every message: repeats change no count that could be waited for."""
    return 'outlast_events_total{outcome="duplicate"}' in system.http("ingest", "/metrics")[1] and not system.messages(
        "outlast.intake"
    )
