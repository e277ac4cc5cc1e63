"""The table of what became of each output: readable from 80 columns on, with every address whole on its own line."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from deploy.local.demo.proof import Ended
from deploy.local.demo.scenario import Capture
from outlast.following import sentence
from shared.db.views import PublicTask
from shared.states import State

HEADS = ("task", "kind", "state", "bytes", "SHA-256", "took", "life")
ALIGNED = ("left", "left", "left", "right", "left", "right", "right")
STATE = 2
"""The number of the column with the state."""
SUBTITLE = "took: from ready at the provider to stored here; life: of each of its links"
GAP = "  "
BELOW = (0, 0, 0, len(GAP))
LEAST = 12
"""Columns that a task's name gets at least."""


def print_outcomes(console: Console, ended: Ended) -> None:
    """For each output a line of figures, and under it where it is kept or why not."""
    rows = [_cells(capture, task) for capture, task in ended]
    widths = _widths([HEADS, *rows], console.width)
    console.print(Text("\nWhat became of each output", style="bold"))
    console.print(Text(SUBTITLE + "\n", style="dim"))
    console.print(_line(HEADS, widths, "bold", "bold"), soft_wrap=True)
    for (capture, task), cells in zip(ended, rows, strict=True):
        good = task is not None and task.state == State.COMPLETE
        console.print(_line(cells, widths, "", "green" if good else "yellow"), soft_wrap=True)
        _print_below(console, capture, task)


def _cells(capture: Capture, task: PublicTask | None) -> tuple[str, ...]:
    life = f"{capture.offer.life} s"
    if task is None:
        return (capture.label, "", "never seen", "", "", "", life)
    if task.state != State.COMPLETE:
        return (capture.label, task.kind or "", task.state, "", "", "", life)
    took = f"{(task.stored_at - task.ready_at).total_seconds():.1f} s" if task.stored_at else ""
    digest = f"{(task.sha256 or '')[:8]}…"
    return (capture.label, task.kind or "", task.state, f"{task.size:,}", digest, took, life)


def _print_below(console: Console, capture: Capture, task: PublicTask | None) -> None:
    if task is not None and task.durable_uri:
        # Never broken into lines: an address must be good to copy.
        console.print(Text(GAP + task.durable_uri), soft_wrap=True)
    elif task is not None and task.reason:
        console.print(Padding(Text.assemble((task.reason, "bold"), f": {sentence(task)}"), BELOW, expand=False))
    if capture.note:
        console.print(Padding(Text(f"({capture.note})", style="dim"), BELOW, expand=False))


def _widths(rows: Iterable[Sequence[str]], most: int) -> list[int]:
    first, *others = (max(map(cell_len, column)) for column in zip(*rows, strict=True))
    room = most - sum(others) - len(GAP) * len(others)
    return [max(LEAST, min(first, room)), *others]


def _line(cells: Sequence[str], widths: Sequence[int], style: str, state_style: str) -> Text:
    return Text(GAP).join(_aligned(cells, widths, style, state_style))


def _aligned(cells: Sequence[str], widths: Sequence[int], style: str, state_style: str) -> Iterator[Text]:
    for number, (cell, width, side) in enumerate(zip(cells, widths, ALIGNED, strict=True)):
        text = Text(_end_of(cell, width), style=state_style if number == STATE else style)
        text.align("left" if side == "left" else "right", width)
        yield text


def _end_of(text: str, width: int) -> str:
    """The text, or as much of its end as fits: of a path, the name of the file."""
    if cell_len(text) <= width:
        return text
    while cell_len(text) >= width:
        text = text[1:]
    return "…" + text
