"""The events of one demonstration on a running stack: sent, followed to their ends, and proven."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from rich.console import Console

from deploy.local.demo import posters, proof, report
from deploy.local.demo.outcomes import print_outcomes
from deploy.local.demo.proof import Ended, Finding
from deploy.local.demo.provider import DemoProvider
from deploy.local.demo.scenario import ACCOUNT, Capture
from deploy.local.demo.server import Server
from deploy.local.demo.stack import asset_store, producer_url, task_reader
from deploy.local.service import NAMES
from deploy.local.stack import Stack
from outlast.following import Read, Unsettled, follow
from outlast.publish import Producer, PublishError
from shared.db.views import PublicTask
from shared.errors import Failure

SILENCE_SECONDS = 90.0
"""Time without any move of a task or byte from the provider after which nobody waits any longer."""
LOG_LINES = 25


@dataclass(frozen=True)
class Demonstration:
    """What is sent and by whom, the stack that captures it, and where it is told.

    `with_processor`: the example processor runs beside it, and its posters are waited for, shown and proven.
    """

    stack: Stack
    server: Server
    provider: DemoProvider
    captures: Sequence[Capture]
    console: Console
    with_processor: bool = False

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
        print_outcomes(self.console, ended)
        if outwait:
            report.print_requests(self.console, self.provider.requests)
        made = self._posters(ended) if self.with_processor else []
        return [*proof.endings(ended), *(self._outwait() if outwait else ()), *self._assets_and_logs(ended), *made]

    def _posters(self, ended: Ended) -> list[Finding]:
        found = posters.processed(self.stack, ended)
        posters.print_posters(self.console, found)
        return posters.posters(found, asset_store(self.stack))

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
        with self.console.status("") as status:
            while seconds := proof.seconds_until_dead(self.provider.issued):
                status.update(f"the last link dies in {math.ceil(seconds)} s")
                time.sleep(min(seconds, 0.5))
        yield proof.dead_links(self.provider.issued)

    def _assets_and_logs(self, ended: Ended) -> Iterator[Finding]:
        yield from proof.assets(ended, asset_store(self.stack))
        yield proof.no_secret_in(sorted((self.stack.folder / "log").glob("*.log")), self.provider.canary)
