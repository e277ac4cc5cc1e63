"""The manifest of a corpus: which files there are, and the verdict that each must get."""

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.errors import UsageError
from shared.messages import Kind

NAME = "MANIFEST.toml"
FIGURES = (
    re.compile(r"\b(?P<width>\d+)x(?P<height>\d+)\b"),
    re.compile(r"\b(?P<pages>\d+) pages?\b"),
    re.compile(r"\bduration (?P<duration_seconds>\d+(?:\.\d+)?) s\b"),
)
"""What the words of `why` say of an accepted file: `640x480`, `4 pages`, `duration 0.04 s`."""


class Entry(BaseModel):
    """One `[[file]]`: the verdict that it must get when it arrives as the named kind.

    `accept`: verified, with the stated `facts`. `reject`: refused by what its bytes are, with the stated `reason`
    where one is. `bounded`: either of the two, within limits of time and memory. `size` is bytes.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    name: Annotated[str, Field(pattern=r"^[^/\x00]{1,255}$")]
    kind: Kind
    verdict: Literal["accept", "reject", "bounded"]
    why: str = ""
    size: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    reason: str | None = None
    facts: dict[str, Any] = {}

    @property
    def stated(self) -> dict[str, Any]:
        """The facts that an accepted file must have: `facts`, and what `why` says in figures."""
        figures = {
            name: number for form in FIGURES if (found := form.search(self.why)) for name, number in _read(found)
        }
        return {**figures, **self.facts} if self.verdict == "accept" else {}


def read_manifest(folder: Path) -> list[Entry]:
    """The entries of a folder's manifest, each with its file beside it as it says.

    Raises UsageError naming every entry that is wrong, and every file that is missing or another.
    """
    entries = _entries(folder / NAME)
    twice = [f"{name}: is named {count} times" for name, count in Counter(e.name for e in entries).items() if count > 1]
    faults = [*twice, *(f"{entry.name}: {fault}" for entry in entries if (fault := _fault(folder / entry.name, entry)))]
    if faults:
        raise UsageError(f"{folder / NAME} and its files do not agree:\n  " + "\n  ".join(faults))
    return entries


def _entries(path: Path) -> list[Entry]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("file")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"Cannot read {path}: {error}") from None
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{path} names no file: write a [[file]] for each.")
    return [_entry(path, number, table) for number, table in enumerate(tables, 1)]


def _entry(path: Path, number: int, table: object) -> Entry:
    try:
        return Entry.model_validate(table)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(f"{path}, [[file]] number {number}: {wrong}") from None


def _read(found: re.Match[str]) -> Iterator[tuple[str, float]]:
    """Each figure under the name of its fact."""
    return ((name, float(text) if "." in text else int(text)) for name, text in found.groupdict().items())


def _fault(path: Path, entry: Entry) -> str:
    """What is wrong with the file of an entry; empty if it is the one that is meant."""
    if not path.is_file():
        return "is not there"
    if (size := path.stat().st_size) != entry.size:
        return f"has {size} bytes, not {entry.size}"
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return "" if digest == entry.sha256 else f"has the SHA-256 {digest}"
