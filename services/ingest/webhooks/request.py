"""A webhook as it came: headers and body in raw bytes."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from services.ingest.webhooks.unproven import Unproven, Why

_BETWEEN_ITEMS = re.compile(rb"[,\s]+")


@dataclass(frozen=True)
class Request:
    """Headers by their names in lower case, each with its values in the order in which they came, and the body."""

    headers: Mapping[str, Sequence[bytes]] = field(repr=False)
    body: bytes = field(repr=False)

    @classmethod
    def of(cls, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> Self:
        """From pairs of raw bytes, as ASGI gives them."""
        values: dict[str, list[bytes]] = defaultdict(list)
        for name, value in headers:
            values[name.decode("latin-1").lower()].append(value)
        return cls(dict(values), body)

    def values(self, name: str) -> list[bytes]:
        """Every value of a header that is not empty; of `header:item`, what stands after each `item=` in its list."""
        header, _, item = name.partition(":")
        if item:
            start = f"{item}=".encode()
            found = [each.removeprefix(start) for each in self.items(header) if each.startswith(start)]
        else:
            found = list(self.headers.get(header.lower(), ()))
        return [value for value in found if value]

    def items(self, name: str) -> list[bytes]:
        """What stands between commas and spaces, over all values."""
        return [item for item in _BETWEEN_ITEMS.split(b",".join(self.values(name))) if item]

    def only(self, name: str) -> bytes:
        """The one value. Raises Unproven: missing_header, repeated_header."""
        found = self.values(name)
        if len(found) != 1:
            raise Unproven(Why.REPEATED_HEADER if found else Why.MISSING_HEADER)
        return found[0]
