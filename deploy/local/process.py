"""One process of the stack: started, found again by its pid file, and stopped."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from deploy.local.procfs import born, is_zombie
from shared.errors import UsageError

BURIAL_SECONDS = 15.0
ASK_AGAIN_SECONDS = 2.0


class StartError(UsageError):
    """A part of the stack did not start; the text holds the last lines of its log."""


class Ending(StrEnum):
    """How a process was found or made to end."""

    STOPPED = "stopped"
    KILLED = "killed, it did not stop in time"
    DEAD = "had ended by itself"


class _Detached(subprocess.Popen[bytes]):
    """A child that is meant to outlive its starter."""

    def __del__(self) -> None:
        """Nothing is wrong with a child that lives on, of which the base class would warn."""


class Process:
    """A process whose pid, log and life belong to one state folder.

    The pid file also holds the instant of birth, so a pid that the system gave to somebody else is never
    taken for ours. `stop_with` is the signal that stops it in order, sent again and again with `ask_again`;
    `orphaned` is the one it gets when its starter vanishes.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        stop_with: signal.Signals = signal.SIGTERM,
        orphaned: signal.Signals | None = None,
        ask_again: bool = False,
        grace_seconds: float = 30.0,
    ) -> None:
        self.name = name
        self.log = folder / "log" / f"{name}.log"
        self._record = folder / "run" / f"{name}.json"
        self._stop_with = stop_with
        self._orphaned = orphaned or stop_with
        self._ask_again = ask_again
        self._grace_seconds = grace_seconds
        self._child: subprocess.Popen[bytes] | None = None

    def start(
        self, command: Sequence[str], env: Mapping[str, str], *, detach: bool, become: Sequence[str] = ()
    ) -> None:
        """Start `command` with exactly `env`, standard output and error going to the log.

        `become` is a command in front that changes the user. Without `detach` the kernel stops the process
        when the thread that called this ends, so call it from the main thread.
        """
        self._await_buried()
        # A change of the user clears the parent-death signal: it must be set after it.
        tied = () if detach else ("setpriv", "--pdeathsig", self._orphaned.name)
        for place in (self.log.parent, self._record.parent):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._child = (_Detached if detach else subprocess.Popen)(
                [*become, *tied, *command],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C at the terminal is for the starter; it stops the parts in order.
                start_new_session=True,
            )
        self.claim(self._child.pid)

    def claim(self, pid: int) -> None:
        """Record a living process as this part."""
        self._record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._record.write_text(json.dumps({"pid": pid, "born": born(pid)}), encoding="utf-8")

    def recorded(self) -> bool:
        """Whether a start was recorded that no stop has cleared."""
        return self._record.exists()

    def recorded_pid(self) -> int | None:
        """The pid of the last start that was recorded, dead or alive."""
        record = self._read()
        return None if record is None else record[0]

    def started_here(self) -> bool:
        """Whether this object started the process that runs now."""
        return self._child is not None and self.pid() == self._child.pid

    def pid(self) -> int | None:
        """The pid, as long as the very process that was started lives."""
        if self._child is not None:
            self._child.poll()
        record = self._read()
        if record is None:
            return None
        pid, birth = record
        return pid if birth is not None and birth == born(pid) else None

    def alive(self) -> bool:
        """Whether the process lives."""
        return self.pid() is not None

    def exit_code(self) -> int | None:
        """The exit code of a process that this object started, once it ended."""
        return None if self._child is None else self._child.poll()

    def log_tail(self, lines: int = 12) -> str:
        """The last lines of the log."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 32 * 1024))
            text = log.read().decode("utf-8", "replace")
        return "\n".join(text.splitlines()[-lines:])

    def ask_to_stop(self) -> bool:
        """Send the signal that stops the process; False when it does not live."""
        return self.send(self._stop_with)

    def send(self, number: signal.Signals) -> bool:
        """Send a signal; False when the process does not live."""
        pid = self.pid()
        if pid is not None:
            os.kill(pid, number)
        return pid is not None

    def wait_stopped(self) -> Ending:
        """Wait for the end of a process that was asked to stop; kill it after the grace time."""
        ending = Ending.STOPPED
        if not self._ended_within(self._grace_seconds):
            self.send(signal.SIGKILL)
            self._ended_within(10)
            ending = Ending.KILLED
        self._bury()
        self.forget()
        return ending

    def _bury(self) -> None:
        """Wait for a child that is dead to the eye while threads of it still end, as those of a storage daemon do."""
        if self._child is not None:
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(BURIAL_SECONDS)

    def forget(self) -> None:
        """Clear the pid file."""
        self._record.unlink(missing_ok=True)

    def _read(self) -> tuple[int, str | None] | None:
        try:
            record = json.loads(self._record.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return record["pid"], record["born"]

    def _await_buried(self) -> None:
        """Wait until the system has forgotten the dead predecessor: Postgres takes a zombie for alive."""
        record = self._read()
        limit = time.monotonic() + BURIAL_SECONDS
        while record is not None and is_zombie(record[0]) and time.monotonic() < limit:
            time.sleep(0.1)

    def _ended_within(self, seconds: float) -> bool:
        began = asked = time.monotonic()
        while self.alive():
            now = time.monotonic()
            if now - began > seconds:
                return False
            if now - asked > ASK_AGAIN_SECONDS and self._ask_again:
                asked = now
                self.ask_to_stop()
            time.sleep(0.05)
        return True


def any_lives(folder: Path) -> bool:
    """Whether a process lives that is recorded in a state folder."""
    return any(Process(record.stem, folder).alive() for record in (folder / "run").glob("*.json"))


def stop_all(processes: Iterable[Process]) -> dict[str, Ending]:
    """Ask all to stop, then wait for all; those that were never started are left out."""
    asked = [(process, process.ask_to_stop()) for process in processes if process.recorded()]
    endings = {}
    for process, lived in asked:
        endings[process.name] = process.wait_stopped() if lived else Ending.DEAD
        process.forget()
    return endings
