"""The demonstration: from events with links that die within seconds to assets that are proven to be there."""

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from rich.console import Console

from deploy.local.demo import proof, report
from deploy.local.demo.proof import Ended, Finding
from deploy.local.demo.provider import DemoProvider
from deploy.local.demo.scenario import ACCOUNT, Capture, folder, made_media
from deploy.local.demo.server import Server
from deploy.local.demo.stack import address_book, asset_store, producer_url, start, task_reader
from deploy.local.service import NAMES
from deploy.local.stack import Stack
from outlast.following import Read, Unsettled, follow
from outlast.publish import Producer, PublishError
from shared.db.views import PublicTask
from shared.errors import Failure, UsageError

SILENCE_SECONDS = 90.0
"""Time without any move of a task or byte from the provider after which nobody waits any longer."""
PLAIN_WIDTH = 160
LOG_LINES = 25


def run(directory: Path, *, files: Path | None = None, keep: bool = False) -> int:
    """Run the demonstration with its servers under `directory`; returns the exit code.

    `files`: send the files of this folder in place of made media. `keep`: leave the stack running.
    0: everything was as it must be; 1: something was not, and is printed. Raises UsageError, also for a
    part that does not start.
    """
    began, console, server = time.monotonic(), _console(), Server()
    run_id, canary = f"demo-{secrets.token_hex(4)}", f"canary{secrets.token_hex(8)}"
    captures = list(folder(run_id, files)) if files else made_media(run_id)
    if not captures:
        raise UsageError(f"There is no file in {files}, or only hidden ones.")
    provider = DemoProvider(canary, server.origin, [capture.offer for capture in captures])
    stack = Stack.open(directory, detach=keep)
    with _answering(server, provider), _stopped_at_the_end(stack, console, keep=keep):
        start(stack, provider, server.address, console)
        holds = Demonstration(stack, server, provider, captures, console).show(outwait=files is None)
    verdict = "[green]All was as it must be" if holds else "[bold red]Not all was as it must be"
    console.print(f"{verdict}[/], after {time.monotonic() - began:.0f} s.")
    return 0 if holds else 1


@dataclass(frozen=True)
class Demonstration:
    """The events of one demonstration on a running stack, followed to their ends and proven."""

    stack: Stack
    server: Server
    provider: DemoProvider
    captures: Sequence[Capture]
    console: Console

    def show(self, *, outwait: bool) -> bool:
        """Send, follow, prove and print; returns whether all was as it must be.

        `outwait`: wait until the last link is dead, and prove that too.
        """
        findings = self._findings(outwait=outwait)
        holds = all(finding.holds for finding in findings)
        if not holds:
            tails = ((name, self.stack.process(name).log_tail(LOG_LINES)) for name in NAMES)
            report.print_log_tails(self.console, tails)
        report.print_findings(self.console, findings)
        return holds

    def _findings(self, *, outwait: bool) -> list[Finding]:
        try:
            sent = self._send()
            ended = self._follow(sent)
        except (PublishError, Failure) as error:
            return [Finding(False, f"the events could be sent and followed: {error}")]
        self.console.print(report.table(ended))
        if outwait:
            report.print_requests(self.console, self.provider.requests)
        return [*proof.endings(ended), *(self._outwait() if outwait else ()), *self._assets_and_logs(ended)]

    def _send(self) -> dict[UUID, Capture]:
        sent = {}
        with Producer(producer_url(self.stack)) as producer:
            for capture in self.captures:
                event = capture.event(self.provider, datetime.now(UTC))
                sent[producer.publish(event, account=ACCOUNT)] = capture
        return sent

    def _follow(self, sent: dict[UUID, Capture]) -> Ended:
        seen: dict[UUID, PublicTask] = {}
        with task_reader(self.stack) as read, report.Board(self.console, len(sent)) as board:
            for task in self._moves(read, sent, board):
                seen[task.task_id] = task
                board.show(task)
        return [(capture, seen.get(task_id)) for task_id, capture in sent.items()]

    def _moves(self, read: Read, sent: dict[UUID, Capture], board: report.Board) -> Iterator[PublicTask]:
        def silent() -> bool:
            return time.monotonic() - max(board.last_move, self.server.last_sent) > SILENCE_SECONDS

        try:
            yield from follow(read, sent, give_up=silent)
        except Unsettled as error:
            self.console.print(f"[bold red]{error}, and nothing moved for {SILENCE_SECONDS:.0f} s.[/bold red]")

    def _outwait(self) -> Iterator[Finding]:
        seconds = proof.seconds_until_dead(self.provider.issued)
        with self.console.status(f"the last link dies in {seconds:.0f} s"):
            time.sleep(seconds)
        yield proof.dead_links(self.provider.issued)

    def _assets_and_logs(self, ended: Ended) -> Iterator[Finding]:
        yield from proof.assets(ended, asset_store(self.stack))
        yield proof.no_secret_in(sorted((self.stack.folder / "log").glob("*.log")), self.provider.canary)


@contextmanager
def _answering(server: Server, provider: DemoProvider) -> Iterator[None]:
    server.start(provider.answer)
    try:
        yield
    finally:
        server.stop()


@contextmanager
def _stopped_at_the_end(stack: Stack, console: Console, *, keep: bool) -> Iterator[None]:
    try:
        yield
    finally:
        if keep:
            console.print(address_book(stack), highlight=False, soft_wrap=True)
        else:
            with console.status("stopping"):
                stack.stop()


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=PLAIN_WIDTH)
