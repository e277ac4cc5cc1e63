"""Processes that start at once, forked from an interpreter that holds their modules."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Lock

from tests.conftest import ROOT


class Forks:
    """The interpreter that processes are forked from; `modules` are loaded before."""

    def __init__(self, modules: list[str]) -> None:
        self._lock = Lock()
        self._channel, theirs = socket.socketpair()
        with theirs:
            # Unbuffered, as a service's log would be.
            command = [sys.executable, "-u", "-m", "tests.system.interpreter", str(theirs.fileno()), *modules]
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=_plain(os.environ)
            )
        self._answers = self._channel.makefile("r")

    def start(self, words: list[str], environment: dict[str, str], log: Path) -> "Forked":
        """Run a module (its name is the first word) or the command `outlast` with its words."""
        log.touch()
        return Forked(self, self.ask(words=words, environment=environment, log=str(log)))

    def ask(self, **request: object) -> int:
        """The number that the interpreter answers."""
        with self._lock:
            self._channel.sendall(json.dumps(request).encode() + b"\n")
            return int(self._answers.readline())

    def close(self) -> None:
        """End the interpreter; what was forked from it goes on."""
        self._answers.close()
        self._channel.close()
        self._process.wait(10)


class Forked:
    """A forked process, used as a `subprocess.Popen`."""

    def __init__(self, forks: Forks, pid: int) -> None:
        self._forks, self.pid = forks, pid
        self.returncode: int | None = None
        self._ends = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Its exit status, or None while it runs."""
        return self.returncode if self.returncode is not None else self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status; raises TimeoutExpired after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            rest = None if end is None else end - time.monotonic()
            if rest is not None and rest <= 0:
                raise subprocess.TimeoutExpired(f"pid {self.pid}", timeout or 0)
            self._look(rest)
        return self.returncode or 0

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _look(self, seconds: float | None) -> int | None:
        if select.select([self._ends], [], [], seconds)[0]:
            self.returncode = self._forks.ask(reap=self.pid)
            os.close(self._ends)
        return self.returncode


def _plain(environment: "os._Environ[str]") -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("OUTLAST_")}
