"""Writes the pages of providers, and the generated parts of docs/providers.md: `python -m outlast.catalogue FOLDER`."""

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from outlast.catalogue.describing import EVENTS_ALONE, bytes_from, fresh_links, lasting, reported, titled
from outlast.catalogue.entries import Known, catalogue
from outlast.catalogue.page import page, table
from outlast.catalogue.reference import reference

FOLDER = Path("docs")
OVERVIEW = "providers.md"
HEAD = ("provider", "links live", "records live", "reported by", "fresh links", "bytes from", "checked", "confidence")
_PART = re.compile(r"(<!-- written by `make docs`: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def files(folder: Path) -> Mapping[str, str]:
    """The text of every file with something generated, by its path in the folder of the documentation."""
    known = catalogue()
    parts = {"providers": _overview(known), "keys": reference()}
    written = (folder / OVERVIEW).read_text(encoding="utf-8")
    told = _PART.sub(lambda part: f"{part[1]}\n{parts[part[2]]}\n\n{part[3]}", written)
    return {OVERVIEW: told, **{f"providers/{each.entry.name}.md": page(each) for each in known}}


def write(folder: Path) -> None:
    """Write every file, and remove the page of a provider that is gone."""
    wanted = files(folder)
    (folder / "providers").mkdir(exist_ok=True)
    for old in (folder / "providers").glob("*.md"):
        if f"providers/{old.name}" not in wanted:
            old.unlink()
    for path, text in wanted.items():
        (folder / path).write_text(text, encoding="utf-8")


def _overview(known: Iterable[Known]) -> str:
    return table(HEAD, (_row(each) for each in known))


def _row(known: Known) -> tuple[str, ...]:
    entry = known.entry
    return (
        f"[{titled(entry)}](providers/{entry.name}.md) `{entry.name}`",
        lasting(entry.life.url),
        lasting(entry.life.record),
        ", ".join(reported(entry)) or EVENTS_ALONE,
        fresh_links(entry),
        bytes_from(entry),
        str(entry.last_checked),
        entry.confidence,
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
