"""What a person sees of the demonstration beside its table: bars per stage, findings, requests and logs."""

import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self
from uuid import UUID

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deploy.local.demo.proof import Finding
from shared.db.views import PublicTask
from shared.states import State

STAGES = ("ready", "downloading", "verifying", "promoting", "complete")
ATTENTION = "needs attention"
REACHED = {
    State.OUTPUT_READY: 1,
    State.DOWNLOADING: 2,
    State.DOWNLOAD_RETRY: 2,
    State.VERIFYING: 3,
    State.PROMOTING: 4,
    State.STORED: 4,
    State.COMPLETE: 5,
    # Whatever stopped it, a download was begun.
    State.NEEDS_ATTENTION: 2,
}
"""How many stages a task in a state has got to, at least."""


class Board:
    """One bar per stage: how many tasks have got there; `last_move` is the monotonic time of a change."""

    def __init__(self, console: Console, total: int) -> None:
        bar = BarColumn(bar_width=40)
        columns = (TextColumn("{task.description:>16}"), bar, MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console)
        self._bars = {name: self._progress.add_task(name, total=total) for name in (*STAGES, ATTENTION)}
        self._reached: dict[UUID, int] = {}
        self._states: dict[UUID, str] = {}
        self.last_move = time.monotonic()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, task: PublicTask) -> None:
        """Count a task where it stands now."""
        if self._states.get(task.task_id) != task.state:
            self.last_move = time.monotonic()
        self._states[task.task_id] = task.state
        stages = REACHED.get(State(task.state), 0)
        self._reached[task.task_id] = max(self._reached.get(task.task_id, 0), stages)
        for number, name in enumerate(STAGES, start=1):
            done = sum(reached >= number for reached in self._reached.values())
            self._progress.update(self._bars[name], completed=done)
        stopped = sum(state == State.NEEDS_ATTENTION for state in self._states.values())
        self._progress.update(self._bars[ATTENTION], completed=stopped)


def print_findings(console: Console, findings: Sequence[Finding]) -> None:
    """One line for each point that was looked at."""
    console.print()
    for finding in findings:
        mark = "[green]yes[/green]" if finding.holds else "[bold red]NO [/bold red]"
        console.print(f" {mark}  {escape(finding.text)}")


def print_requests(console: Console, requests: Mapping[str, int]) -> None:
    """How often the provider was asked for what, without any query."""
    shown = Table(title="\nWhat the provider was asked", title_justify="left", box=None)
    shown.add_column("times", justify="right")
    shown.add_column("request and answer", overflow="fold")
    for request, times in sorted(requests.items()):
        shown.add_row(str(times), escape(request))
    console.print(shown)


def print_log_tails(console: Console, tails: Iterable[tuple[str, str]]) -> None:
    """The last lines of each log."""
    for name, tail in tails:
        console.rule(f"the end of the log of {name}")
        console.print(tail, markup=False, highlight=False, soft_wrap=True)
