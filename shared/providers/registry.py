"""All provider entries: those that come with Outlast, and a folder of further ones."""

from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from shared.errors import UsageError
from shared.lanes import SHARED, UNLISTED
from shared.providers.entry import Provider
from shared.providers.files import File, entry_of
from shared.providers.model import Overrides, entry_for

OTHER = "other"
"""What providers without an entry are counted as, since the names in events have no bound."""
HASHED_LANES = 32
"""Number of lanes shared by all hosts of unknown providers, so that lanes stay bounded."""
GENERIC = "generic"
"""The entry of every provider that has none of its own."""
CATALOGUE = files("shared.providers") / "catalogue"
NO_OVERRIDES: Mapping[str, Overrides] = MappingProxyType({})


class Registry:
    """Finds a provider's entry by name; an unknown name gets the generic entry."""

    def __init__(self, entries: Iterable[Provider], overrides: Mapping[str, Overrides] = NO_OVERRIDES) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._overrides = overrides

    @classmethod
    def load(cls, folder: Path | None = None) -> "Registry":
        """Read the entries of Outlast, then those of the folder, which win. Raises UsageError for a bad file."""
        own = [
            File.read(p.name, p.read_text(encoding="utf-8")) for p in CATALOGUE.iterdir() if p.name.endswith(".toml")
        ]
        tables = {str(file.table.get("name")): file.table for file in own}
        further = [File.read(p.name, _text(p)) for p in sorted(_folder(folder).glob("*.toml"))] if folder else []
        found = [entry_of(file, tables) for file in [*own, *further]]
        _check_names(further)
        return cls([entry for entry, _ in found], {entry.name: overrides for entry, overrides in found})

    def find(self, name: str, model: str | None = None) -> Provider:
        """The entry of a provider, or the generic one; for a model of which the entry says something else, that."""
        entry = self._entries.get(name) or self._entries[GENERIC]
        return entry_for(entry, self._overrides.get(entry.name, ()), model)

    def patterns(self, name: str) -> tuple[str, ...]:
        """The patterns of models of which a provider's entry says something else."""
        return tuple(pattern for pattern, _ in self._overrides.get(name, ()))

    def all(self) -> Collection[Provider]:
        """Every entry."""
        return self._entries.values()

    def known(self, name: str) -> bool:
        """Whether the provider has an entry of its own."""
        return name in self._entries

    def counted_as(self, name: str) -> str:
        """The name under which figures of a provider are kept."""
        return name if self.known(name) else OTHER

    def all_counted(self) -> list[str]:
        """Every name that `counted_as` gives."""
        return [*self._entries, OTHER]

    def lane(self, name: str, host: str) -> str:
        """The lane of a source: provider and listed host; of an unknown provider, one of a few shared by all hosts."""
        if self.known(name) and name != GENERIC:
            return f"{name}/{host if host in self._entries[name].hosts else UNLISTED}"
        number = int.from_bytes(sha256(host.encode()).digest()[:4], "big") % HASHED_LANES
        return f"{SHARED}/{number:02d}"

    def polled(self) -> dict[str, float]:
        """The providers whose jobs can be asked for, with the most questions per second: the least of its models'."""
        entries = {
            name: [entry, *(other for _, other in self._overrides.get(name, ()))]
            for name, entry in self._entries.items()
        }
        polls = {name: [each.poll for each in several if each.poll] for name, several in entries.items()}
        return {name: min(poll.per_second for poll in several) for name, several in polls.items() if several}

    def caps(self) -> dict[str, int]:
        """The most transfers at once, by what stands for a provider in its lanes."""
        named = {SHARED if entry.name == GENERIC else entry.name: entry.caps.transfers for entry in self.all()}
        return {name: most for name, most in named.items() if most is not None}


def _folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} for provider files. Make it, or unset OUTLAST_PROVIDERS_DIR.")
    return folder


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The provider file {path.name} cannot be read: {error}") from None


def _check_names(files: Iterable[File]) -> None:
    names: dict[str, str] = {}
    for file in files:
        name = str(file.table.get("name"))
        if other := names.get(name):
            raise UsageError(f"The provider files {other} and {file.name} both are the entry of {name}; keep one.")
        names[name] = file.name
