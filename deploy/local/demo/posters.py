"""The example processor beside the demonstration: run, waited for, shown and proven."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from deploy.local.broker_access import POSTER
from deploy.local.demo.proof import Ended, Finding
from deploy.local.environment import DATABASE, ROLES
from deploy.local.process import Process, StartError, stop_all
from deploy.local.stack import Stack
from outlast import NotVerified, Result, Unavailable, open_verified
from shared.db import Database
from shared.db.views import PublicTask
from shared.errors import Failure, UsageError
from shared.messages import Kind
from shared.objects import Store
from shared.states import State

EXAMPLE = "examples.poster"
CHECKOUT = Path(__file__).parents[3]
READY_SECONDS = 30.0
SILENCE_SECONDS = 60.0
"""Time without a further end of a processing after which nobody waits any longer."""


@dataclass(frozen=True)
class Processed:
    """What the processor made of one asset; `row` is its line in the ledger, None as long as there is none."""

    label: str
    task: PublicTask
    row: Mapping[str, Any] | None

    @property
    def is_over(self) -> bool:
        """Whether the processor has said its last word."""
        return self.row is not None and self.row["finished_at"] is not None

    @property
    def result(self) -> Result | None:
        """The poster, if one was made."""
        names = ("bucket", "key", "version", "size", "sha256", "type")
        row = self.row or {}
        return Result(*(row[f"result_{name}"] for name in names)) if row.get("result_key") else None


@contextmanager
def processor(stack: Stack, console: Console) -> Iterator[None]:
    """Run the example processor for as long as the block lasts, as its own user of every server.

    Raises UsageError where the example is not installed, and StartError when it does not start.
    """
    if not (CHECKOUT / "examples" / "poster").is_dir():
        raise UsageError("The example processor is part of a checkout, not of the installed package.")
    process = Process("poster", stack.folder)
    began, known = time.monotonic(), process.log.stat().st_size if process.log.exists() else 0
    environment = {**os.environ, **stack.environment("processor"), "PYTHONPATH": str(CHECKOUT)}
    process.start([sys.executable, "-m", EXAMPLE], environment, detach=False)
    try:
        while f"ready queue={POSTER}" not in _log_since(process, known):
            if not process.alive() or time.monotonic() - began > READY_SECONDS:
                raise StartError(f"The example processor does not start:\n{process.log_tail()}")
            time.sleep(0.1)
        console.print(f"[green]ready[/green] {'poster':<11} {time.monotonic() - began:5.1f} s", highlight=False)
        yield
    finally:
        stop_all([process])


def processed(stack: Stack, ended: Ended) -> list[Processed]:
    """What became of every complete video, waited for until each has its last word or nothing moves any more."""
    database = Database(stack.postgres.url(ROLES["reader"], DATABASE), connections=1, name="outlast-demo")
    try:
        last, moved = 0, time.monotonic()
        while True:
            found = list(_looked_up(database, ended))
            over = sum(one.is_over for one in found)
            if over > last:
                last, moved = over, time.monotonic()
            if over == len(found) or time.monotonic() - moved > SILENCE_SECONDS:
                return found
            time.sleep(0.25)
    finally:
        database.close()


def print_posters(console: Console, found: Sequence[Processed]) -> None:
    """For each video its poster, or why there is none."""
    console.print(Text("\nWhat the example processor made of each video\n", style="bold"))
    for one in found:
        console.print(Text(f"{one.label}  {one.task.durable_uri}"), soft_wrap=True)
        if one.result:
            console.print(Text(f"  poster   s3://{one.result.bucket}/{one.result.key}"), soft_wrap=True)
            console.print(Text(f"           {one.result.size:,} bytes, SHA-256 {one.result.sha256[:8]}…", style="dim"))
        else:
            console.print(Text(f"  {_stand(one)}", style="yellow"), soft_wrap=True)


def posters(found: Sequence[Processed], store: Store) -> list[Finding]:
    """Whether every video has its last word, and every poster reads back and says what it is derived from."""
    wrong = [Finding(False, f"{one.label}: {trouble}") for one in found if (trouble := _trouble(one, store))]
    made = sum(one.result is not None for one in found)
    derived = f"each poster (of {made}) reads back with its digest and names the asset that it is derived from"
    return wrong or [Finding(True, derived if made else "no complete video, so there is no poster to read back")]


def _looked_up(database: Database, ended: Ended) -> Iterator[Processed]:
    for capture, task in ended:
        if task is not None and task.state == State.COMPLETE and task.kind == Kind.VIDEO:
            rows = database.run("processing_of_task", task_id=task.task_id)
            yield Processed(capture.label, task, rows[-1] if rows else None)


def _trouble(one: Processed, store: Store) -> str:
    if not one.is_over:
        return f"it was not processed: {_stand(one)}"
    if one.result is None:
        return ""
    try:
        with open_verified(one.result, max_bytes=one.result.size, store=store) as reader:
            reader.read()
        head = store.stat(one.result.bucket, one.result.key)
    except (NotVerified, Unavailable, Failure) as error:
        return f"its poster cannot be read ({error})"
    said = (head.metadata.get("derived-from"), head.metadata.get("derived-from-sha256")) if head else ()
    return "" if said == (str(one.task.task_id), one.task.sha256) else "its poster does not say what it is derived from"


def _stand(one: Processed) -> str:
    row = one.row or {}
    return " / ".join(filter(None, (row.get("state", "never seen"), row.get("reason"), row.get("detail"))))


def _log_since(process: Process, start: int) -> str:
    with process.log.open("rb") as log:
        log.seek(start)
        return log.read().decode("utf-8", "replace")
