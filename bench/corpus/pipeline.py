"""A private stack that captures files from a server of ours, and what it says of each."""

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

from rich.progress import Progress

from bench.corpus.judging import Found
from deploy.local.demo.provider import Offer
from deploy.local.demo.scenario import content_type_of
from deploy.local.demo.server import Reply, Server
from deploy.local.environment import BROKER_USERS, DATABASE, ROLES, VHOST
from deploy.local.service import NAMES
from deploy.local.stack import Stack
from outlast.following import SETTLED, Unsettled, follow
from outlast.publish import Producer, output_ready
from shared.db import Database
from shared.db.story import read_story
from shared.db.views import PublicTask, read_task
from shared.messages import Kind

ACCOUNT = PROVIDER = "corpus"
PROBE = b"services.verifier.probe"
SILENCE_SECONDS = 120.0
"""Time without any move of a task after which nobody waits any longer."""
AT_ONCE = {"OUTLAST_SLOTS": "2"}
"""Files that are verified at once, so that two cores are enough to measure each."""
Sent = tuple[Offer, Kind]


@dataclass(frozen=True)
class Pipeline:
    """The running stack, and the server from which it downloads."""

    stack: Stack
    server: Server
    database: Database
    links: dict[str, Offer]

    def capture(self, files: Sequence[Sent], progress: Progress) -> list[Found]:
        """Publish an event for each file, wait for all ends, and tell what became of each, in their order."""
        tasks = self._publish(files)
        self._follow(tasks, progress)
        return [self._found(task_id) for task_id in tasks]

    def processes(self) -> tuple[int, ...]:
        """The process ids of the verifier and of its probe; none of a verifier that is dead."""
        pid = self.stack.process("verifier").pid()
        if pid is None:
            return ()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return pid, *(int(child) for child in children if PROBE in Path(f"/proc/{child}/cmdline").read_bytes())

    def _publish(self, files: Sequence[Sent]) -> list[UUID]:
        tasks = []
        with Producer(self.stack.rabbitmq.url(BROKER_USERS["producer"], VHOST)) as producer:
            for offer, kind in files:
                path = f"/{secrets.token_hex(8)}{offer.path}"
                self.links[path] = offer
                event = output_ready(
                    source="outlast.corpus",
                    provider=PROVIDER,
                    job_id=offer.job_id,
                    url=self.server.origin + path,
                    kind=kind,
                    display_name=offer.file_name,
                )
                tasks.append(producer.publish(event, account=ACCOUNT))
        return tasks

    def _follow(self, tasks: Sequence[UUID], progress: Progress) -> None:
        """Wait until every task has settled, or none has moved for long."""
        bar, moved = progress.add_task("files", total=len(tasks)), [time.monotonic()]
        read = partial(read_task, self.database)
        try:
            for task in follow(read, tasks, give_up=lambda: time.monotonic() - moved[0] > SILENCE_SECONDS):
                moved[0] = time.monotonic()
                progress.advance(bar, task.state in SETTLED)
        except Unsettled as error:
            progress.console.print(f"[bold red]{error}, and none moved for {SILENCE_SECONDS:.0f} s.[/]")

    def _found(self, task_id: UUID) -> Found:
        task = read_task(self.database, task_id)
        if task is None or task.state not in SETTLED:
            return Found(None, task.reason if task else None)
        return _of_story(self.database, task)


def _of_story(database: Database, task: PublicTask) -> Found:
    claims = [claim for claim in read_story(database, task.task_id).claims if claim.stage == "verify"]
    seconds = [(claim.ended_at - claim.started_at).total_seconds() for claim in claims if claim.ended_at]
    peaks = [claim.evidence.get("peak_bytes") or 0 for claim in claims]
    detail = (task.evidence or {}).get("detail") if task.reason else None
    return Found(
        state=task.state,
        reason=task.reason,
        sha256=task.sha256,
        facts=task.media or {},
        detail=str(detail or ""),
        seconds=max(seconds, default=None),
        peak_bytes=max(peaks, default=0) or None,
    )


def offer(number: int, name: str, body: bytes | Path) -> Offer:
    """What the server of ours offers under a job's id of its own; its link ends with the server."""
    return Offer(f"file-{number:04d}", name, content_type_of(name), body, life=0)


@contextmanager
def pipeline(folder: Path) -> Iterator[Pipeline]:
    """Start the whole stack under an empty folder, in about half a minute, and stop it at the end.

    Raises StartError for a part that does not start.
    """
    stack, server, links = Stack.open(folder, fast=True), Server(), dict[str, Offer]()
    server.start(partial(_answer, links))
    try:
        stack.start_servers(lambda part, _: stack.prepare(part.process.name))
        _start_services(stack, server.address)
        database = Database(stack.postgres.url(ROLES["reader"], DATABASE), connections=1, name="outlast-corpus")
        try:
            yield Pipeline(stack, server, database, links)
        finally:
            database.close()
    finally:
        stack.stop()
        server.stop()


def _start_services(stack: Stack, address: str) -> None:
    reach = {"OUTLAST_EGRESS_ALLOW": address, "OUTLAST_EGRESS_HTTP": "true"}
    stack.start_services([name for name in NAMES if name != "verifier"], reach)
    stack.start_services(["verifier"], AT_ONCE)


def _answer(links: dict[str, Offer], method: str, target: str, _authorization: str) -> Reply:
    offered = links.get(target)
    if offered is None or method != "GET":
        return Reply.of(404, "text/plain", b"there is nothing")
    return Reply(200, offered.content_type, offered.size, offered.chunks())
