"""The page of one provider in the documentation, in Markdown."""

from collections.abc import Iterable, Iterator

from outlast.catalogue.behaviour import does, losses
from outlast.catalogue.describing import EVENTS_ALONE, bytes_from, fresh_links, lasting, reported, titled
from outlast.catalogue.entries import Known
from outlast.catalogue.setup import steps
from shared.providers import Provider
from shared.providers.entry import Fact

MARKS = {
    "documented": "read at the provider",
    "quoted": "quoted from the provider",
    "secondary": "seen in code or reports of others",
    "unverified": "**not verified**",
}
"""How sure a fact is, for people."""


def page(known: Known) -> str:
    """The whole page."""
    entry = known.entry
    blocks = [
        f"# {titled(entry)}",
        f"<!-- Written by `make docs` from shared/providers/catalogue/{entry.name}.toml: change that. -->",
        f"`provider`: `{entry.name}`. Last checked {entry.last_checked}; confidence {entry.confidence}.",
        known.introduction,
        table(("", ""), _sheet(entry, known.patterns)),
        "## How to set it up",
        "\n".join(f"{number}. {step}" for number, step in enumerate(steps(entry, known.patterns), 1)),
        "## What Outlast does with it",
        _bullets(does(entry)),
        "## What is lost, and when",
        _bullets(losses(entry)),
        *_facts(entry.facts, entry.sources),
        "## The entry",
        "To change something, put a file with the same `name` into a folder that `OUTLAST_PROVIDERS_DIR` names; with\n"
        f'`extends = "{entry.name}"` it only says what differs. [Every key](../providers.md#every-key).',
        f"```toml\n{known.rules}\n```",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; what would part its cells is written as itself."""
    first = list(head)
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (first, *rows)]
    return "\n".join([lines[0], "|---" * len(first) + "|", *lines[1:]])


def _sheet(entry: Provider, patterns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield "reported by", ", ".join(reported(entry)) or EVENTS_ALONE
    yield "bytes from", bytes_from(entry)
    yield "links live", lasting(entry.life.url)
    yield "records live", lasting(entry.life.record)
    yield "fresh links", fresh_links(entry)
    yield "hosts of links", ", ".join(f"`{host}`" for host in entry.hosts) or "any public host"
    if patterns:
        yield "models apart", ", ".join(f"`{pattern}`" for pattern in patterns)


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _facts(facts: Iterable[Fact], sources: Iterable[str]) -> Iterator[str]:
    if rows := [(fact.text, MARKS[fact.sure]) for fact in facts]:
        yield "## What is known of it"
        yield table(("fact", "how sure"), rows)
    if read := [f"<{source}>" if " " not in source else source for source in sources]:
        yield "Read on:"
        yield _bullets(read)
