"""A probe of one's own: started without secrets, restarted, stopped, and never left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from services.verifier.examine import ProbeAway
from services.verifier.supervise import start_probe
from shared.errors import UsageError
from tests.integration.verifier.conftest import RunningProbe
from tests.integration.verifier.processes import children, runs, until
from tests.media.pictures import picture

ROOT = Path(__file__).parents[3]
Start = Callable[..., RunningProbe]


def answers(probe: RunningProbe) -> bool:
    """Whether the probe accepts a good picture."""
    try:
        return probe.examine(picture()).accepted
    except ProbeAway:
        return False


def test_a_probe_that_is_killed_is_started_again(start: Start) -> None:
    probe = start(children=1)
    first, orphans = probe.process.pid, children(probe.process.pid)
    os.kill(first, signal.SIGKILL)
    until(lambda: probe.process.pid != first and answers(probe))
    until(lambda: not any(map(runs, orphans)))


def test_a_stopped_probe_is_gone_with_its_children(start: Start) -> None:
    probe = start(children=2)
    everybody = [probe.process.pid, *children(probe.process.pid)]
    assert len(everybody) == 3
    probe.process.stop()
    assert not any(map(runs, everybody))
    with pytest.raises(ProbeAway):
        probe.examine(picture())


def test_the_probe_is_given_no_setting_and_no_secret(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLAST_DATABASE_URL", "postgresql://canary")
    probe = start(children=1)
    for pid in (probe.process.pid, *children(probe.process.pid)):
        assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only then the children can change user")
def test_the_children_are_nobody(start: Start) -> None:
    probe = start(children=1)
    (pid,) = children(probe.process.pid)
    status = Path(f"/proc/{pid}/status").read_text()
    assert "Uid:\t65534\t65534\t65534\t65534" in status
    assert "CapEff:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status


def test_every_child_lives_by_a_list_of_system_calls(start: Start) -> None:
    probe = start(children=2)
    for pid in children(probe.process.pid):
        # 2 is SECCOMP_MODE_FILTER (proc(5)).
        assert "\nSeccomp:\t2\n" in Path(f"/proc/{pid}/status").read_text()


def test_a_probe_ends_when_its_parent_is_killed() -> None:
    with TemporaryDirectory(prefix="probe") as folder:
        program = (
            "import sys, time; from pathlib import Path; from services.verifier.supervise import start_probe;"
            f"probe = start_probe(Path({folder!r}) / 's', Path({folder!r}), memory_bytes=2**28, seconds=5, children=1);"
            "print('pid', probe.pid, flush=True); time.sleep(600)"
        )
        environment = {"PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
        ) as parent:
            assert parent.stdout is not None
            # The probe's own log goes the same way.
            pid = next(int(line.split()[1]) for line in parent.stdout if line.startswith("pid"))
            assert runs(pid)
            parent.kill()
        until(lambda: not runs(pid))


def test_a_probe_that_cannot_start_says_so() -> None:
    with TemporaryDirectory(prefix="probe") as folder:
        started = time.monotonic()
        with pytest.raises(UsageError, match="did not start"):
            start_probe(Path(folder) / "s", Path(folder) / "none", memory_bytes=2**28, seconds=5.0)
        assert time.monotonic() - started < 20
        with pytest.raises(UsageError, match="longer than"):
            start_probe(Path(folder) / ("s" * 100), Path(folder), memory_bytes=2**28, seconds=5.0)
