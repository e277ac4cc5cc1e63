"""All provider entries: those that come with Outlast, and a folder of further ones."""

import tomllib
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from shared.errors import UsageError
from shared.providers.entry import Provider

HASHED_LANES = 32
"""Number of lanes shared by all hosts that no entry lists, so that lanes stay bounded."""


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
        return self._entries.get(name) or self._entries["generic"]

    def known(self, name: str) -> bool:
        """Whether the provider has an entry of its own."""
        return name in self._entries

    def lane(self, name: str, host: str) -> str:
        """The lane of a source: provider and listed host, else one of the shared lanes of unlisted hosts."""
        entry = self.find(name)
        if self.known(name) and host in entry.hosts:
            return f"{entry.name}/{host}"
        number = int.from_bytes(sha256(host.encode()).digest()[:4], "big") % HASHED_LANES
        return f"other/{number:02d}"


def _read(name: str, text: str) -> Provider:
    try:
        return Provider.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The provider file {name} is not TOML: {error}") from None
    except ValidationError as error:
        raise UsageError(f"The provider file {name} is wrong:\n{error}") from None
