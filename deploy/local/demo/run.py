"""The demonstration: from events with links that die within seconds to assets that are proven to be there."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console

from deploy.local.demo.demonstration import Demonstration
from deploy.local.demo.files import listing
from deploy.local.demo.posters import processor
from deploy.local.demo.provider import DemoProvider
from deploy.local.demo.scenario import Capture, made_media, own_files
from deploy.local.demo.server import Server
from deploy.local.demo.stack import address_book, alone, start, tell_of_kept
from deploy.local.stack import Stack
from shared.errors import UsageError

PLAIN_WIDTH = 160
"""Columns where the output is no terminal and COLUMNS does not say."""


def run(directory: Path, *, files: Path | None = None, keep: bool = False, with_processor: bool = False) -> int:
    """Run the demonstration with its servers under `directory`; returns the exit code.

    `files`: send the files of this folder in place of made media. `keep`: leave the stack running.
    `with_processor`: run the example processor beside it, which makes a poster of each video.
    0: everything was as it must be; 1: something was not, and is printed. Raises UsageError, also for a
    part that does not start, and where a demonstration runs already.
    """
    console = _console()
    stack = Stack.open(directory, detach=keep)
    with alone(stack.folder):
        return 0 if _run(stack, console, files, with_processor=with_processor) else 1


def _run(stack: Stack, console: Console, files: Path | None, *, with_processor: bool) -> bool:
    began = time.monotonic()
    run_id, canary = f"demo-{secrets.token_hex(4)}", f"canary{secrets.token_hex(8)}"
    captures = made_media(run_id) if files is None else _captures(run_id, files, console)
    server = Server()
    provider = DemoProvider(canary, server.origin, [capture.offer for capture in captures])
    with _answering(server, provider), _stopped_at_the_end(stack, console):
        tell_of_kept(stack, console)
        start(stack, provider, server.address, console)
        demonstration = Demonstration(stack, server, provider, captures, console, with_processor)
        with processor(stack, console) if with_processor else nullcontext():
            holds = demonstration.show(outwait=files is None)
        verdict = "[green]All of this holds" if holds else "[bold red]Not all of this holds"
        console.print(f"{verdict}[/], after {time.monotonic() - began:.0f} s.\n")
    return holds


def _captures(run_id: str, files: Path, console: Console) -> list[Capture]:
    found = listing(files)
    if not found.names:
        raise UsageError(f"There is nothing to send in {files}. {found.spoken()}")
    console.print(found.spoken(), highlight=False, soft_wrap=True)
    return list(own_files(run_id, files, found.names))


@contextmanager
def _answering(server: Server, provider: DemoProvider) -> Iterator[None]:
    server.start(provider.answer)
    try:
        yield
    finally:
        server.stop()


@contextmanager
def _stopped_at_the_end(stack: Stack, console: Console) -> Iterator[None]:
    try:
        yield
    finally:
        if stack.detach:
            console.print(address_book(stack), highlight=False, soft_wrap=True)
        else:
            with console.status("stopping"):
                stack.stop()


def _console() -> Console:
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=PLAIN_WIDTH)
