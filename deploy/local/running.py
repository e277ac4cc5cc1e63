"""A stack as a person runs it: started with a line for each part, watched, and stopped again."""

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

from rich.console import Console

from deploy.local.parts import Part
from deploy.local.printed import print_addresses, print_dead, print_endings, print_ready
from deploy.local.process import Ending, Process
from deploy.local.service import NAMES
from deploy.local.spoken import outlast
from deploy.local.stack import Stack
from deploy.local.watching import Watch, ask_for

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GOODBYE_SECONDS = 90.0
INTERRUPTED = 130


def run(folder: Path, *, servers_only: bool, detach: bool, as_json: bool, fast: bool) -> None:
    """Start the stack of a folder and keep it until a signal; with `detach` return once it is up.

    `as_json` prints the addresses as one JSON line on standard output, everything else then goes to standard
    error. A signal before it is up ends the program with 130. Of a stack that is up already, the parts that
    have died are started again. Raises StartError, after stopping what it started, and UsageError.
    """
    console = Console(stderr=as_json, highlight=False)
    stack = Stack.open(folder, fast=fast, detach=detach)
    watch = Watch(stack, console, partial(print_ready, console))
    watch.listen()
    if not _take_over(stack):
        _complete(stack, console, servers_only=servers_only)
        print_addresses(console, stack, as_json=as_json)
        return
    _interrupt_on_signals()
    is_up = False
    try:
        _start(stack, console, servers_only=servers_only)
        is_up = True
        print_addresses(console, stack, as_json=as_json)
        if not detach:
            console.print(f"Ctrl-C stops it, or: {outlast('down', '--dir', stack.folder)}", soft_wrap=True)
            watch.keep()
    except KeyboardInterrupt:
        console.print("Stopping.")
        _stop(stack, console, only_started_here=detach)
        if not is_up:
            sys.exit(INTERRUPTED)
    except BaseException:
        _stop(stack, console, only_started_here=detach)
        raise


def stop(folder: Path, *, as_json: bool) -> None:
    """Stop the stack of a folder, whoever started it, and say what was stopped: with `as_json` as one JSON line."""
    console, nothing = Console(highlight=False), f"Nothing runs in {folder}."
    if not (folder / "run").exists():
        console.print("{}" if as_json else nothing, soft_wrap=True)
        return
    stack = Stack.open(folder)
    before = reversed(stack.running())
    _dismiss(_supervisor(folder))
    endings = {process.name: Ending.STOPPED for process in before} | stack.stop()
    if as_json:
        console.print(json.dumps(endings), soft_wrap=True)
        return
    print_endings(console, endings)
    if not endings:
        console.print(nothing, soft_wrap=True)


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


def _complete(stack: Stack, console: Console, *, servers_only: bool) -> None:
    """Have the dead parts of a stack that somebody else watches started again."""
    dead = _dead(stack, servers_only=servers_only)
    if not dead:
        console.print("This stack is up already.")
        return
    print_dead(console, dead)
    ask_for(stack, dead, _supervisor(stack.folder), partial(print_ready, console))


def _dead(stack: Stack, *, servers_only: bool) -> list[str]:
    with stack.locked():
        return [name for name in stack.dead() if not (servers_only and name in NAMES)]


def _start(stack: Stack, console: Console, *, servers_only: bool) -> None:
    def on_server(part: Part, seconds: float) -> None:
        print_ready(console, part, seconds)
        if not servers_only:
            stack.prepare(part.process.name)

    if stack.running():
        print_dead(console, _dead(stack, servers_only=servers_only))
    stack.start_servers(on_server)
    if not servers_only:
        stack.start_services(on_ready=partial(print_ready, console))


def _stop(stack: Stack, console: Console, *, only_started_here: bool) -> None:
    print_endings(console, stack.stop(only_started_here=only_started_here))
    if not stack.detach:
        _supervisor(stack.folder).forget()


def _dismiss(supervisor: Process) -> None:
    """Let the one in the foreground stop its stack itself, in its own words."""
    if supervisor.ask_to_stop():
        supervisor.wait_stopped()
    supervisor.forget()
