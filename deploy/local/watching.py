"""The watch over a stack in the foreground: deaths are told at once, and the dead are started again when asked for."""

import signal
import time
from collections.abc import Collection
from typing import NoReturn

from rich.console import Console

from deploy.local.parts import OnReady, Part
from deploy.local.process import Process, StartError
from deploy.local.service import NAMES
from deploy.local.spoken import outlast
from deploy.local.stack import START_SECONDS, Stack
from shared.errors import UsageError

REVIVE = signal.SIGUSR1
"""The signal that asks a watch to start again what has ended."""
LOOK_SECONDS = 0.5


class Watch:
    """Watches the parts of one stack; they stay its children, with its environment, also when started again."""

    def __init__(self, stack: Stack, console: Console, on_ready: OnReady) -> None:
        self._stack = stack
        self._console = console
        self._on_ready = on_ready
        self._is_asked = False
        self._living: list[Process] = []

    def listen(self) -> None:
        """Take REVIVE for a wish from now on; unheard, it would end the process."""
        signal.signal(REVIVE, self._hear)

    def keep(self) -> NoReturn:
        """Look twice a second, until an exception of a signal ends it."""
        self._living = self._stack.running()
        while True:
            for process in [process for process in self._living if not process.alive()]:
                self._living.remove(process)
                self._tell(process)
            if self._is_asked:
                self._is_asked = False
                self._revive()
            time.sleep(LOOK_SECONDS)

    def _hear(self, _number: int, _frame: object) -> None:
        self._is_asked = True

    def _tell(self, process: Process) -> None:
        code = process.exit_code()
        how = "ended by itself" if code is None else f"ended by itself with code {code}"
        self._console.print(f"[red]✗ {process.name}[/] {how}. The end of {process.log}:", soft_wrap=True)
        self._console.print(process.log_tail(), markup=False, soft_wrap=True)
        if process.name in self._stack.dead():
            command = outlast("up", "--dir", self._stack.folder)
            self._console.print(f"In another terminal, this starts it again: {command}", markup=False, soft_wrap=True)

    def _revive(self) -> None:
        try:
            start_again(self._stack, self._stack.dead(), self._on_ready)
        except UsageError as error:
            self._console.print(str(error), style="red", markup=False, soft_wrap=True)
        self._living = self._stack.running()


def start_again(stack: Stack, names: Collection[str], on_ready: OnReady) -> None:
    """Start parts of a stack that have ended, and report each when it is ready. Raises StartError."""

    def report(part: Part, seconds: float) -> None:
        if part.process.name in names:
            on_ready(part, seconds)

    services = [name for name in NAMES if name in names]
    if len(services) < len(names):
        stack.start_servers(report)
    if services:
        stack.start_services(services, on_ready=report)


def ask_for(stack: Stack, names: Collection[str], watcher: Process, on_ready: OnReady) -> None:
    """Let the one that watches a stack start dead parts again, and wait for them.

    Raises StartError when one ends again or is not ready in time, or when the watcher has gone.
    """
    waiting = {part: part.process.recorded_pid() for part in stack.parts() if part.process.name in names}
    began = time.monotonic()
    watcher.send(REVIVE)
    while waiting:
        seconds = time.monotonic() - began
        for part, old in list(waiting.items()):
            if part.process.alive() and not part.missing():
                del waiting[part]
                on_ready(part, seconds)
            elif seconds > START_SECONDS or not watcher.alive() or _died_again(part.process, old):
                raise StartError(_failure(part.process))
        time.sleep(LOOK_SECONDS if waiting else 0)


def _died_again(process: Process, old: int | None) -> bool:
    return process.recorded_pid() != old and not process.alive()


def _failure(process: Process) -> str:
    return f"{process.name} did not start again. The end of {process.log}:\n{process.log_tail()}"
