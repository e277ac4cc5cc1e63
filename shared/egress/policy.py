"""What one outbound call may reach and how long it may wait."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from shared.errors import UsageError


@dataclass(frozen=True)
class Policy:
    """The limits of outbound calls.

    `allow` holds exact (ip, port) pairs that are reached in spite of the deny table and of `ports`.
    `hosts` holds names, or suffixes with a leading dot; empty means any host. Redirects obey it too.
    `connect_seconds` limits look-up, connection and TLS together, `idle_seconds` a silence, and the head.
    `origin` (scheme, host, port) is an operator's own service: reached at whatever address it has, by http too.
    `ca_file` is a PEM file trusted in place of the system's store, `nameservers` (ip, port) in place of its.
    """

    allow: frozenset[tuple[str, int]] = frozenset()
    http: bool = False
    ports: frozenset[int] = frozenset({443, 80, 8443})
    connect_seconds: float = 10.0
    idle_seconds: float = 30.0
    max_redirects: int = 5
    hosts: tuple[str, ...] = ()
    origin: tuple[str, str, int] | None = None
    ca_file: str | None = None
    nameservers: tuple[tuple[str, int], ...] = ()

    def names(self, host: str) -> bool:
        """Whether `host` (lower case) is one of `hosts`."""
        return not self.hosts or any(
            host.endswith(entry) if entry.startswith(".") else host == entry for entry in self.hosts
        )


def parse_allow(pairs: Iterable[str]) -> frozenset[tuple[str, int]]:
    """Read `127.0.0.1:8080` and `[::1]:8080`; raises UsageError for anything else."""
    return frozenset(_pair(text) for text in pairs)


def _pair(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    try:
        address = ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
        number = int(port)
    except ValueError:
        raise UsageError("An allowed address must be ip:port, for example 127.0.0.1:8080.") from None
    if not 0 < number < 65536:
        raise UsageError("The port of an allowed address must be between 1 and 65535.")
    return str(address), number
