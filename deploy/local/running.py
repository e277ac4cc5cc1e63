"""A stack as a person runs it: started with a line for each part, watched, and stopped again."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from deploy.local.parts import Part
from deploy.local.process import Ending, Process
from deploy.local.stack import Stack

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_SECONDS = 0.5
GOODBYE_SECONDS = 90.0
INTERRUPTED = 130


def run(folder: Path, *, servers_only: bool, detach: bool, as_json: bool, fast: bool) -> None:
    """Start the stack of a folder and keep it until a signal; with `detach` return once it is up.

    `as_json` prints the addresses as one JSON line on standard output, everything else then goes to standard
    error. A signal before it is up ends the program with 130. Raises StartError, after stopping what it
    started, and UsageError.
    """
    console = Console(stderr=as_json, highlight=False)
    stack = Stack.open(folder, fast=fast, detach=detach)
    if not _take_over(stack):
        console.print("This stack is up already.")
        _show_addresses(stack, console, as_json=as_json)
        return
    _interrupt_on_signals()
    is_up = False
    try:
        _start(stack, console, servers_only=servers_only)
        is_up = True
        _show_addresses(stack, console, as_json=as_json)
        if not detach:
            console.print("Ctrl-C stops it.")
            _watch(stack, console)
    except KeyboardInterrupt:
        console.print("Stopping.")
        _stop(stack, console, only_started_here=detach)
        if not is_up:
            sys.exit(INTERRUPTED)
    except BaseException:
        _stop(stack, console, only_started_here=detach)
        raise


def stop(folder: Path) -> None:
    """Stop the stack of a folder, whoever started it, and say what was stopped."""
    console = Console(highlight=False)
    if not (folder / "run").exists():
        console.print("Nothing runs there.")
        return
    stack = Stack.open(folder)
    before = reversed(stack.running())
    _dismiss(_supervisor(folder))
    endings = {process.name: Ending.STOPPED for process in before} | stack.stop()
    _show_endings(endings, console)
    if not endings:
        console.print("Nothing runs there.")


def _supervisor(folder: Path) -> Process:
    """The process that watches a stack in the foreground."""
    return Process("up", folder.absolute(), grace_seconds=GOODBYE_SECONDS)


def _take_over(stack: Stack) -> bool:
    """Become the one that watches this stack; False when there is one already."""
    supervisor = _supervisor(stack.folder)
    with stack.locked():
        if supervisor.alive():
            return False
        if not stack.detach:
            supervisor.claim(os.getpid())
        return True


def _interrupt_on_signals() -> None:
    """Raise KeyboardInterrupt at the first signal to stop; a second one could only leave parts behind."""
    seen: list[object] = []

    def interrupt(number: int, _frame: object) -> None:
        seen.append(number)
        if len(seen) == 1:
            raise KeyboardInterrupt

    for number in STOP_SIGNALS:
        signal.signal(number, interrupt)


def _start(stack: Stack, console: Console, *, servers_only: bool) -> None:
    def on_server(part: Part, seconds: float) -> None:
        _show_ready(part, seconds, console)
        if not servers_only:
            stack.prepare(part.process.name)

    stack.start_servers(on_server)
    if not servers_only:
        stack.start_services(on_ready=lambda part, seconds: _show_ready(part, seconds, console))


def _watch(stack: Stack, console: Console) -> NoReturn:
    """Say at once, with the end of its log, when a part dies; the others go on."""
    living = stack.running()
    while True:
        for process in [process for process in living if not process.alive()]:
            living.remove(process)
            code = process.exit_code()
            how = "ended by itself" if code is None else f"ended by itself with code {code}"
            console.print(f"[red]✗ {process.name}[/] {how}. The end of {process.log}:", soft_wrap=True)
            console.print(process.log_tail(), markup=False, soft_wrap=True)
        time.sleep(LOOK_SECONDS)


def _stop(stack: Stack, console: Console, *, only_started_here: bool) -> None:
    _show_endings(stack.stop(only_started_here=only_started_here), console)
    if not stack.detach:
        _supervisor(stack.folder).forget()


def _dismiss(supervisor: Process) -> None:
    """Let the one in the foreground stop its stack itself, in its own words."""
    if supervisor.ask_to_stop():
        supervisor.wait_stopped()
    supervisor.forget()


def _show_ready(part: Part, seconds: float, console: Console) -> None:
    console.print(f"[green]✓[/] {part.process.name:<11} {seconds:5.1f} s  {part.address()}", soft_wrap=True)


def _show_addresses(stack: Stack, console: Console, *, as_json: bool) -> None:
    addresses = stack.addresses()
    if as_json:
        print(json.dumps({**addresses, "environment": str(stack.environment_file)}), flush=True)  # noqa: T201
        return
    console.print()
    for name, address in addresses.items():
        console.print(f"{name:<11} {address}", soft_wrap=True)
    console.print(f"{'variables':<11} {stack.environment_file}", soft_wrap=True)


def _show_endings(endings: dict[str, Ending], console: Console) -> None:
    for name, ending in endings.items():
        color = "green" if ending is Ending.STOPPED else "red"
        console.print(f"[{color}]■[/] {name:<11} {ending}", soft_wrap=True)
