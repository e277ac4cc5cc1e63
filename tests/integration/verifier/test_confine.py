"""A child that hostile bytes have taken over: what it tries, and that none of it works."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TAKEN_OVER = """
import json, os, socket, sys
from services.verifier.probe.confine import allow_cpu, confine, empty_folder, leave_network
ours, theirs = socket.socketpair()
secret = os.open(sys.argv[1], os.O_RDONLY)
alone, empty = leave_network(), empty_folder()
def attempt(act):
    try:
        return f"did it: {act()}"
    except Exception as error:
        return type(error).__name__
def connect():
    with socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2) as connection:
        return connection.recv(10)
def loop():
    allow_cpu(1)
    while True:
        pass
ACTS = {
    "read": lambda: open(sys.argv[1]).read(),
    "inherited": lambda: os.read(secret, 10),
    "environment": lambda: os.environ["SECRET"],
    "write": lambda: open("/tmp/written", "w").write("x"),
    "fork": os.fork,
    "run": lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
    "thread": lambda: __import__("_thread").start_new_thread(print, ()),
    "connect": connect,
    "memory": lambda: len(bytearray(300 * 2**20)),
    "root": lambda: os.setuid(0),
    "loop": loop,
}
pid = os.fork()
if pid == 0:
    ours.close()
    confine(200 * 2**20, theirs.fileno(), empty)
    theirs.sendall(json.dumps(attempt(ACTS[sys.argv[3]])).encode())
    os._exit(0)
theirs.close()
answer = ours.recv(1000)
print(json.dumps({"answer": answer.decode(), "status": os.waitpid(pid, 0)[1], "alone": alone}))
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only then the probe can change user and network")


def taken_over(act: str, secret: Path, port: int = 9) -> dict[str, Any]:
    """What a confined child got when it tried `act`, and how it ended."""
    done = subprocess.run(
        [sys.executable, "-c", TAKEN_OVER, str(secret), str(port), act],
        env={"PYTHONPATH": str(ROOT), "SECRET": "canary"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that anybody may read, as if its owner had been careless."""
    path = tmp_path / "secret"
    path.write_text("canary")
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("act", ["inherited", "environment", "fork", "run", "thread", "memory"])
def test_a_child_that_is_taken_over_gets_nothing(act: str, secret: Path) -> None:
    assert "did it" not in taken_over(act, secret)["answer"]


@as_root
@pytest.mark.parametrize("act", ["read", "write", "root"])
def test_a_child_that_is_taken_over_sees_no_files_and_is_not_root(act: str, secret: Path) -> None:
    assert "did it" not in taken_over(act, secret)["answer"]


@as_root
def test_a_child_that_is_taken_over_reaches_no_network(secret: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LISTEN], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    ) as listener:
        assert listener.stdout is not None
        port = int(listener.stdout.readline())
        found = taken_over("connect", secret, port)
        listener.communicate("")
    assert found["alone"] is True
    assert "did it" not in found["answer"]


LISTEN = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
"""


def test_a_child_that_loops_for_ever_is_ended_by_the_kernel(secret: Path) -> None:
    found = taken_over("loop", secret)
    assert os.WIFSIGNALED(found["status"])
    assert found["answer"] == ""
