"""All that is known of a provider, as one JSON-ready value and printed from it; and the list of all entries."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlast.catalogue.behaviour import does, losses
from outlast.catalogue.describing import EVENTS_ALONE, bytes_from, fresh_links, lasting, reported, titled
from outlast.catalogue.setup import steps
from outlast.cli.printable import printable
from outlast.cli.providers.places import places
from shared.providers import Provider, Registry

WIDEST = 240
"""Columns where nobody looks: a file or a pipe."""
MARGIN = 14
WIDE = 150
"""Columns from which on everything is listed."""
COLUMNS = (
    "Provider",
    "Links live",
    "Reported by",
    "Fresh links",
    "Records live",
    "Bytes from",
    "Checked",
    "Sure",
    "Title",
)
MOST_IN_NARROW = 4

_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def summary(entry: Provider) -> dict[str, Any]:
    """What a list tells of an entry."""
    return {
        "provider": entry.name,
        "title": titled(entry),
        "link_life_seconds": entry.life.url,
        "record_life_seconds": entry.life.record,
        "reported_by": list(reported(entry)),
        "fresh_links": fresh_links(entry),
        "bytes_from": bytes_from(entry),
        "last_checked": entry.last_checked.isoformat() if entry.last_checked else None,
        "confidence": entry.confidence,
    }


def sheet(registry: Registry, name: str, model: str | None, provider_account: str) -> dict[str, Any]:
    """All that is known of one."""
    entry, patterns = registry.find(name, model), registry.patterns(name)
    ours = Registry.load()
    return {
        **summary(entry),
        "is_own": not ours.known(name) or ours.find(name, model) != entry,
        "model": model,
        "hosts": list(entry.hosts),
        "models_apart": list(patterns),
        "to_do": [_LINK.sub(r"\1", step) for step in steps(entry, patterns)],
        "does": list(does(entry)),
        "losses": list(losses(entry)),
        "files": list(places(entry, provider_account)),
        "facts": [fact.model_dump() for fact in entry.facts],
        "sources": list(entry.sources),
        "entry": entry.model_dump(mode="json", exclude={"facts", "sources"}, exclude_defaults=True),
    }


def print_list(console: Console, known: Iterable[Provider]) -> None:
    """A line for each entry; a narrow terminal is told what counts first."""
    if not console.is_terminal:
        console.width = max(console.width, WIDEST)
    most = len(COLUMNS) if console.width >= WIDE else MOST_IN_NARROW
    table = Table(*COLUMNS[:most], box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for entry in known:
        table.add_row(*(Text(printable(word)) for word in _row(entry)[:most]))
    console.print(table)
    if most < len(COLUMNS):
        typer.echo("A wider terminal tells more, and `outlast providers show NAME` tells all.", err=True)


def _row(entry: Provider) -> tuple[str, ...]:
    ways = ", ".join(reported(entry)) or EVENTS_ALONE
    checked = entry.last_checked.isoformat() if entry.last_checked else "never"
    first = (entry.name, lasting(entry.life.url), ways, fresh_links(entry), lasting(entry.life.record))
    return (*first, bytes_from(entry), checked, entry.confidence, titled(entry))


def print_sheet(console: Console, shown: Mapping[str, Any]) -> None:
    """The sheet, for a terminal of any width."""
    for name, lines in _blocks(shown):
        for number, line in enumerate(lines):
            _print(console, name if number == 0 else "", line)


def _blocks(shown: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    yield "Provider", [f"{shown['provider']}, {shown['title']}"]
    yield "Entry", ["your own" if shown["is_own"] else "of Outlast"]
    yield "Links live", [lasting(shown["link_life_seconds"])]
    yield "Records live", [lasting(shown["record_life_seconds"])]
    yield "Reported by", [", ".join(shown["reported_by"]) or EVENTS_ALONE]
    yield "Fresh links", [shown["fresh_links"]]
    yield "Bytes from", [shown["bytes_from"]]
    yield "Hosts", [", ".join(shown["hosts"]) or "any public host"]
    yield "Models apart", shown["models_apart"]
    yield "Checked", [f"{shown['last_checked'] or 'never'}, confidence {shown['confidence']}"]
    yield "Files", [f"{file['path']} ({file['what']}): {file['state']}" for file in shown["files"]]
    yield "Set up", [f"{number}. {step}" for number, step in enumerate(shown["to_do"], 1)]
    yield "Outlast", shown["does"]
    yield "Losses", shown["losses"]
    yield "Facts", [f"{fact['text']} [{fact['sure']}]" for fact in shown["facts"]]
    yield "Read on", shown["sources"]


def _print(console: Console, name: str, text: str) -> None:
    room = max(console.width, 4 * MARGIN)
    first, later = f"{name:<{MARGIN}}", " " * (MARGIN + 2)
    for line in textwrap.wrap(
        printable(text),
        room,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
