"""A child that hostile bytes have taken over: what it tries, and that none of it works (faults 105 and 106)."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("taken_over.py")

FORBIDDEN = [
    *("connect", "unix_socket", "fork", "run_a_shell", "become_a_shell", "thread"),
    *("kill_the_parent", "trace_the_parent", "become_root", "raise_memory_limit"),
    *("call:connect", "call:bind", "call:sendmsg", "call:clone3", "call:vfork", "call:execveat", "call:mount"),
    *("call:prctl", "call:io_uring_setup", "call:bpf", "call:keyctl", "call:userfaultfd", "call:perf_event_open"),
    *("call:memfd_create", "call:process_vm_readv", "call:pidfd_getfd", "call:unshare", "call:chroot"),
    *("call:unlink", "call:sendfile", "executable_memory"),
]
"""Ended by the kernel at the call itself."""

FAILS = {
    "read_a_secret": "FileNotFoundError",
    "read_environ_of_1": "FileNotFoundError",
    "write_10_gb": "FileNotFoundError",
    "read_what_was_inherited": "OSError",
    "read_a_setting": "KeyError",
    "allocate_without_end": "MemoryError",
}
"""Go on to nothing; for such a child there are no files."""

DOES_IT_WHEN_FREE = {
    "read_a_secret": "canary",
    "read_what_was_inherited": "canary",
    "read_a_setting": "canary",
    "unix_socket": "socket",
    "connect": "hello",
}


@dataclass(frozen=True)
class End:
    """What an act gave, and the wait status of the child that tried it."""

    answer: str
    status: int


@cache
def ends(who: str) -> dict[str, End]:
    """How each act ends for children of a parent that is `root` or `nobody`; `free` ones are not confined."""
    with TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        # Anybody may read it, as if its owner had been careless.
        Path(folder).chmod(0o755)
        secret.write_text("canary")
        acts = list(DOES_IT_WHEN_FREE) if who == "free" else [*FORBIDDEN, *FAILS, "loop_for_ever"]
        done = subprocess.run(
            [sys.executable, str(SCRIPT), who, str(secret), *acts],
            env={"PYTHONPATH": str(ROOT), "SECRET": "canary"},
            capture_output=True,
            timeout=120,
            check=True,
        )
    return {act: End(*end) for act, end in json.loads(done.stdout).items()}


# In one process, so that each program runs once.
pytestmark = pytest.mark.xdist_group("confine")
IS_ROOT = os.geteuid() == 0
parents = pytest.mark.parametrize("who", ["root", "nobody"] if IS_ROOT else ["nobody"])


@parents
@pytest.mark.parametrize("act", FORBIDDEN)
def test_105_106_a_child_that_is_taken_over_is_ended_when_it_tries(act: str, who: str) -> None:
    end = ends(who)[act]
    assert end.answer == ""
    assert os.WIFSIGNALED(end.status)
    assert os.WTERMSIG(end.status) == signal.SIGSYS


@parents
@pytest.mark.parametrize("act", FAILS)
def test_105_106_a_child_that_is_taken_over_gets_nothing(act: str, who: str) -> None:
    assert ends(who)[act].answer == FAILS[act]


@parents
def test_105_a_child_that_loops_for_ever_is_ended_by_the_kernel(who: str) -> None:
    end = ends(who)["loop_for_ever"]
    assert end.answer == ""
    assert os.WTERMSIG(end.status) == signal.SIGXCPU


@pytest.mark.parametrize("act", DOES_IT_WHEN_FREE)
def test_what_is_tried_works_where_nothing_confines_it(act: str) -> None:
    assert DOES_IT_WHEN_FREE[act] in ends("free")[act].answer
