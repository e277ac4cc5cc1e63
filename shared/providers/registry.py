"""All provider entries: those that come with Outlast, and a folder of further ones."""

import tomllib
from collections.abc import Collection, Iterable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from shared.errors import UsageError
from shared.lanes import SHARED, UNLISTED
from shared.providers.entry import Provider

OTHER = "other"
"""What providers without an entry are counted as, since the names in events have no bound."""
HASHED_LANES = 32
"""Number of lanes shared by all hosts of unknown providers, so that lanes stay bounded."""
GENERIC = "generic"
"""The entry of every provider that has none of its own."""


class Registry:
    """Finds a provider's entry by name; an unknown name gets the generic entry."""

    def __init__(self, entries: Iterable[Provider]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    @classmethod
    def load(cls, folder: Path | None = None) -> "Registry":
        """Read the entries of Outlast, then those of the folder, which win. Raises UsageError for a bad file."""
        own = [p for p in files("shared.providers").iterdir() if p.name.endswith(".toml")]
        further = sorted(folder.glob("*.toml")) if folder else []
        return cls([_read(path.name, path.read_text(encoding="utf-8")) for path in [*own, *further]])

    def find(self, name: str) -> Provider:
        """The entry of a provider, or the generic one."""
        return self._entries.get(name) or self._entries[GENERIC]

    def all(self) -> Collection[Provider]:
        """Every entry."""
        return self._entries.values()

    def known(self, name: str) -> bool:
        """Whether the provider has an entry of its own."""
        return name in self._entries

    def counted_as(self, name: str) -> str:
        """The name under which figures of a provider are kept."""
        return name if self.known(name) else OTHER

    def lane(self, name: str, host: str) -> str:
        """The lane of a source: provider and listed host; of an unknown provider, one of a few shared by all hosts."""
        if self.known(name) and name != GENERIC:
            return f"{name}/{host if host in self._entries[name].hosts else UNLISTED}"
        number = int.from_bytes(sha256(host.encode()).digest()[:4], "big") % HASHED_LANES
        return f"{SHARED}/{number:02d}"

    def caps(self) -> dict[str, int]:
        """The most transfers at once, by what stands for a provider in its lanes."""
        named = {SHARED if entry.name == GENERIC else entry.name: entry.caps.transfers for entry in self.all()}
        return {name: most for name, most in named.items() if most is not None}


def _read(name: str, text: str) -> Provider:
    try:
        return Provider.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The provider file {name} is not TOML: {error}") from None
    except ValidationError as error:
        raise UsageError(f"The provider file {name} is wrong:\n{error}") from None
