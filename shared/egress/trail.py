"""The hops of one call: what may be recorded of them, and what must be kept out of every text."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import takewhile
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import unquote

from shared.egress.url import Target

_SHORTEST_SECRET = 4
_SHORTEST_BEGINNING = 8
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_CUT = "[cut]"


@dataclass(frozen=True)
class Hop:
    """One request of a call; `status` is None when no answer came."""

    host: str
    path_sha256: str
    status: int | None


class Trail:
    """The hops of one call, and the parts of their URLs and of its credential."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._hops: list[Hop] = []
        self._secrets = {part for secret in secrets for part in (secret, *secret.split())}

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The hops so far."""
        return tuple(self._hops)

    def start(self, target: Target) -> None:
        """Note that a request to `target` begins."""
        self._hops.append(Hop(target.host, target.path_sha256, None))
        self._secrets |= {target.path, target.query, *target.path.split("/")}
        for parameter in target.query[1:].split("&"):
            name, _, value = parameter.partition("=")
            self._secrets.add(value or name)

    def answered(self, status: int) -> None:
        """Note the answer to the request begun last."""
        last = self._hops[-1]
        self._hops[-1] = Hop(last.host, last.path_sha256, status)

    def evidence(self) -> list[dict[str, object]]:
        """The hops, JSON-ready."""
        return [asdict(hop) for hop in self._hops]

    def conceal(self, text: str) -> str:
        """`text` without any part of a URL or credential of this call, as sources like to echo them.

        Sources also change the case of what they echo, and cut it, so a beginning of a part is taken out too.
        """
        low = text.translate(_LOWER)
        parts = {part.translate(_LOWER) for secret in self._secrets for part in (secret, unquote(secret))}
        return _without(text, (span for part in parts if len(part) >= _SHORTEST_SECRET for span in _spans(low, part)))


def _spans(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Where the part, or a beginning of it, starts and ends."""
    at = 0
    while (start := text.find(part[:_SHORTEST_BEGINNING], at)) >= 0:
        same = takewhile(lambda pair: pair[0] == pair[1], zip(part, text[start:], strict=False))
        at = start + len(list(same))
        yield start, at


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, at = "", 0
    for start, end in sorted(spans):
        kept += text[at:start] + _CUT if start >= at else ""
        at = max(at, end)
    return kept + text[at:]
