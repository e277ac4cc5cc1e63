"""A probe of one's own: started as a child process, restarted when it ends, stopped at the end."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import structlog

from services.verifier.examine import ProbeAway, Prober
from shared.errors import UsageError

log = structlog.get_logger(__name__)

START_SECONDS = 30.0
FIRST_DELAY, LAST_DELAY = 0.1, 5.0
MAX_SOCKET_PATH = 100
"""Linux allows 107 bytes; some are left for a suffix."""


class OwnProbe:
    """The probe program, kept running until `stop`."""

    def __init__(self, command: list[str], socket_path: Path, output: int | None = None) -> None:
        self._output = output
        self._command, self._prober = command, Prober(socket_path, patience=1.0)
        self._stopping = threading.Event()
        self._process = self._start()
        self._wait_until_it_listens()
        self._watcher = threading.Thread(target=self._watch, name="probe-watcher", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """Process id of the probe that runs now."""
        return self._process.pid

    def stop(self, seconds: float = 5.0) -> None:
        """End the probe: politely, and after `seconds` by force."""
        self._stopping.set()
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._watcher.join()
        self._close(self._process)

    def _start(self) -> "subprocess.Popen[bytes]":
        # The environment holds no setting and no secret; the pipe closes and ends the probe if we are killed.
        root = str(Path(__file__).parents[2])
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": root, "MALLOC_ARENA_MAX": "1"}
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=self._output, stderr=self._output, env=environment, cwd="/"
        )

    def _wait_until_it_listens(self) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                return self._prober.check()
            except ProbeAway:
                if self._ended_within(0.02):
                    break
        code = self._process.poll()
        self._process.kill()
        self._close(self._process)
        raise UsageError(f"The probe did not start (exit code {code}); its log says why.")

    def _ended_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _watch(self) -> None:
        delay = FIRST_DELAY
        while True:
            started = time.monotonic()
            code = self._process.wait()
            if self._stopping.is_set():
                return
            log.error("probe_ended", exit_code=code)
            delay = FIRST_DELAY if time.monotonic() - started > LAST_DELAY else min(delay * 2, LAST_DELAY)
            if self._stopping.wait(delay):
                return
            self._close(self._process)
            self._process = self._start()

    @staticmethod
    def _close(process: "subprocess.Popen[bytes]") -> None:
        if process.stdin is not None:
            process.stdin.close()
        process.wait()


def start_probe(
    socket_path: Path,
    directory: Path,
    *,
    memory_bytes: int,
    seconds: float,
    children: int = 2,
    log_format: str = "json",
    accept_undecoded: Sequence[str] = (),
    output: int | None = None,
) -> OwnProbe:
    """Start a probe for the files of `directory` and wait until it listens on `socket_path`.

    `memory_bytes` and `seconds` limit one examination, `children` is how many run at once, `log_format` is
    `json` or `text`, `accept_undecoded` names the images that are accepted without a decoder, and `output` is the
    descriptor that its log goes to; by default that of this process.
    Raises UsageError if it does not start.
    """
    if len(str(socket_path)) > MAX_SOCKET_PATH:
        raise UsageError(f"The path of the probe's socket is longer than {MAX_SOCKET_PATH} characters.")
    command = [sys.executable, "-m", "services.verifier.probe", "--stop-on-eof"]
    command += ["--socket", str(socket_path.absolute()), "--dir", str(directory.absolute())]
    command += ["--log-format", log_format, "--accept-undecoded", *accept_undecoded]
    command += ["--memory", str(memory_bytes), "--seconds", str(seconds), "--children", str(children)]
    return OwnProbe(command, socket_path, output)
