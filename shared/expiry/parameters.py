"""The parameters of a URL as they stand: nothing is rewritten, names are compared without case."""

from urllib.parse import unquote

_MAX_PARAMETERS = 128


class Parameters:
    """The query of a URL, every name in lower case with all its values, decoded once; and its path."""

    def __init__(self, url: str) -> None:
        rest = url.partition("#")[0]
        before, _, query = rest.partition("?")
        self.path = unquote(before.partition("://")[2].partition("/")[2])
        self._values: dict[str, list[str]] = {}
        for part in query.split("&", _MAX_PARAMETERS)[:_MAX_PARAMETERS]:
            name, _, value = part.partition("=")
            self._values.setdefault(unquote(name).lower(), []).append(unquote(value))

    def has(self, *names: str) -> bool:
        """Whether all `names` are there."""
        return all(name in self._values for name in names)

    def all(self, name: str) -> list[str]:
        """Every value of `name`."""
        return self._values.get(name, [])

    def repeats(self, *names: str) -> bool:
        """Whether one of `names` comes with more than one value."""
        return any(len(set(self.all(name))) > 1 for name in names)

    def pairs(self) -> list[str]:
        """Every `name=value`."""
        return [f"{name}={value}" for name, values in self._values.items() for value in values]

    def values(self) -> list[str]:
        """Every value of every name."""
        return [value for values in self._values.values() for value in values]
