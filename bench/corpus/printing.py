"""The verdicts as a table for a person, and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.corpus.judging import Found, differences
from bench.corpus.manifest import Entry
from outlast.cli.outcome import facts
from outlast.cli.printable import printable

Pairs = Sequence[tuple[Entry, Found]]


def print_verdicts(console: Console, pairs: Pairs) -> None:
    """A line for each file; what differs is said behind it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading, side in (("file", "left"), ("kind", "left"), ("wanted", "left"), ("found", "left"), ("why", "left")):
        table.add_column(heading, no_wrap=heading != "why", justify="left" if side == "left" else "right")
    for heading in ("s", "peak MiB"):
        table.add_column(heading, justify="right", no_wrap=True)
    for entry, found in pairs:
        table.add_row(*_cells(entry, found))
    console.print(table)
    console.print(
        "s: the longest claim of the verifier on the file; peak: the resident set of the child of the probe that "
        "examined it,\nlibraries among it. Neither is there for what the downloader refused.",
        style="dim",
        highlight=False,
    )


def _cells(entry: Entry, found: Found) -> list[Text]:
    wrong = differences(entry, found)
    why = "; ".join(wrong) or (facts(found.facts) if found.verdict == "accept" else found.reason or "")
    words = (
        entry.name,
        entry.kind,
        entry.verdict,
        found.verdict,
        why,
        "" if found.seconds is None else f"{found.seconds:.2f}",
        "" if found.peak_bytes is None else f"{found.peak_bytes / 2**20:.0f}",
    )
    return [Text(printable(word), style="bold red" if wrong else "") for word in words]


def as_json(pairs: Pairs, *, lives: bool) -> dict[str, Any]:
    """The verdicts by file, and whether the verifier lived through them all."""
    files = [
        {
            "file": entry.name,
            "kind": entry.kind,
            "wanted": entry.verdict,
            "found": found.verdict,
            "reason": found.reason,
            "detail": found.detail,
            "facts": found.facts,
            "seconds": found.seconds,
            "peak_bytes": found.peak_bytes,
            "differences": differences(entry, found),
        }
        for entry, found in pairs
    ]
    right = sum(not file["differences"] for file in files)
    return {"files": files, "right": right, "wrong": len(files) - right, "verifier_lives": lives}
