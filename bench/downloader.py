"""Our side of the comparison: the real downloader service, given one event at a time by the real intake."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
from psycopg.rows import class_row

from bench.rivals import Run
from bench.source import Source
from deploy.local.environment import BROKER_USERS, DATABASE, VHOST
from deploy.local.postgres import SUPERUSER
from deploy.local.process import stop_all
from deploy.local.rgw import Rgw
from deploy.local.stack import Stack
from outlast.publish import Producer, output_ready

ACCOUNT = "bench"
SERVICES = ("ingest", "downloader")
LOOK_SECONDS = 0.1
PATIENCE_SECONDS = 600.0

LOOK = """
    SELECT t.state, t.reason, t.staged_key AS key,
           extract(epoch FROM t.staged_at - c.started_at)::float8 AS seconds
    FROM tasks t LEFT JOIN claims c ON c.task_id = t.task_id AND c.epoch = t.epoch
    WHERE t.task_id = %s
"""


@dataclass(frozen=True)
class Task:
    """What the database says of a task; `seconds` are from its claim to the record of its staged bytes."""

    state: str
    reason: str | None
    key: str | None
    seconds: float | None


class Downloader:
    """The services ingest and downloader of a stack; the downloader stages in RGW."""

    def __init__(self, stack: Stack, rgw: Rgw, source: Source) -> None:
        self._stack = stack
        self._variables = {
            "OUTLAST_S3_ENDPOINT": rgw.address(),
            "OUTLAST_EGRESS_ALLOW": source.pair,
            "OUTLAST_EGRESS_HTTP": "true",
        }

    def start(self) -> None:
        """Start them, anew if they run, so that the peak of memory is that of what follows. Raises StartError."""
        stop_all(self._stack.process(name) for name in SERVICES)
        self._stack.start_services(SERVICES, self._variables)

    def transfer(self, url: str) -> tuple[Run, str]:
        """Bring the link into staging, and return its key; the peak of memory is that since the process began.

        Raises RuntimeError when the task ends in another way.
        """
        before = self._cpu_seconds()
        task = self._followed(self._publish(url))
        cpu = self._cpu_seconds() - before
        if task.state != "verifying" or task.seconds is None or task.key is None:
            raise RuntimeError(f"the transfer ended in {task.state}: {task.reason}")
        return Run(task.seconds, cpu, self.peak_rss()), task.key

    def peak_rss(self) -> int:
        """The peak of the downloader's resident memory since its start, in bytes."""
        return 1024 * int(self._of_kernel("status").partition("VmHWM:")[2].split()[0])

    def _cpu_seconds(self) -> float:
        user, system = self._of_kernel("stat").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _of_kernel(self, name: str) -> str:
        return Path(f"/proc/{self._stack.process('downloader').pid()}/{name}").read_text(encoding="utf-8")

    def _publish(self, url: str) -> UUID:
        event = output_ready(provider="bench", job_id=str(uuid4()), url=url)
        with Producer(self._stack.rabbitmq.url(BROKER_USERS["producer"], VHOST)) as producer:
            return producer.publish(event, account=ACCOUNT)

    def _followed(self, task_id: UUID) -> Task:
        """Look at the task until it is staged or has stopped."""
        limit = time.monotonic() + PATIENCE_SECONDS
        with (
            psycopg.connect(self._stack.postgres.url(SUPERUSER, DATABASE), autocommit=True) as connection,
            connection.cursor(row_factory=class_row(Task)) as cursor,
        ):
            while True:
                task = cursor.execute(LOOK, (task_id,)).fetchone()
                if task is not None and task.state not in ("output_ready", "downloading", "download_retry"):
                    return task
                if time.monotonic() > limit:
                    raise RuntimeError(f"no transfer within {PATIENCE_SECONDS:.0f} s, but {task}")
                time.sleep(LOOK_SECONDS)
