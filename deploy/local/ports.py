"""Ports on the loopback address that stay the same between runs as long as nobody else takes them."""

import random
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path

HOST = "127.0.0.1"
LOWEST = 20_000


def settle(known: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """A port for each name: the known one where it is still free, else a new one that is nobody's."""
    ports: dict[str, int] = {}
    for name in names:
        port = known.get(name)
        ports[name] = port if port is not None and is_free(port) else free_port({*known.values(), *ports.values()})
    return ports


def free_port(taken: Iterable[int] = ()) -> int:
    """A free port that the system never gives to an outgoing connection.

    From the range of outgoing connections a client that retries a stopped server could connect to itself
    and so keep the server from coming back.
    """
    candidates = [port for port in range(LOWEST, _lowest_outgoing()) if port not in set(taken)]
    for port in random.sample(candidates, k=min(len(candidates), 1000)):
        if is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def _lowest_outgoing() -> int:
    text = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8")
    return int(text.split()[0])
