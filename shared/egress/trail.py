"""The hops of one call: what may be recorded of them, and what must be kept out of every text."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from urllib.parse import unquote

from shared.egress.url import Target

_SHORTEST_SECRET = 4


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
            self._secrets |= {parameter, parameter.partition("=")[2]}

    def answered(self, status: int) -> None:
        """Note the answer to the request begun last."""
        last = self._hops[-1]
        self._hops[-1] = Hop(last.host, last.path_sha256, status)

    def evidence(self) -> list[dict[str, object]]:
        """The hops, JSON-ready."""
        return [asdict(hop) for hop in self._hops]

    def conceal(self, text: str) -> str:
        """`text` without any part of a URL or credential of this call, as sources like to echo them."""
        parts = self._secrets | {unquote(secret) for secret in self._secrets}
        for part in sorted(parts, key=len, reverse=True):
            if len(part) >= _SHORTEST_SECRET:
                text = text.replace(part, "[cut]")
        return text
