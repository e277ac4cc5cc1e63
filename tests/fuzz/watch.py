"""Eyes on every connection of this process, at the socket: what is not allowed is stopped there and told."""

import ipaddress
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident

from tests.fuzz.zone import is_private

_TO_ADDRESS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_BY_NAME = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class Watch:
    """Counts connections and datagrams: to the pairs of `allowed`, to public addresses, and to all others.

    Only the first ones are let through. `denied` tells the last ones by the number of their thread, and so every
    name that was to be looked up by the system.
    """

    def __init__(self) -> None:
        self.allowed: set[tuple[str, int]] = set()
        self.counts: Counter[str] = Counter()
        self.reached: Counter[int] = Counter()
        """How many connections there were to each allowed port."""
        self.denied: dict[int, str] = {}
        self._lock = Lock()

    def see(self, event: str, arguments: tuple[object, ...]) -> None:
        """Judge one event of the interpreter; raises OSError where the connection must not be."""
        if event in _BY_NAME:
            self._judge_name(event, arguments[0])
        elif event == "socket.sendto" and _local(arguments[0]) in self.allowed:
            return  # the name server of the tests answers
        elif event in _TO_ADDRESS and isinstance(address := arguments[-1], tuple):
            self._judge_address(event, str(address[0]), address[1])
        elif event == "socket.connect":
            self._deny(event, arguments[-1])

    def _judge_name(self, event: str, host: object) -> None:
        try:
            ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host))
        except ValueError:
            self._deny(event, host)

    def _judge_address(self, event: str, host: str, port: int) -> None:
        if (host, port) in self.allowed and event == "socket.connect":
            self._count("allowed")
            with self._lock:
                self.reached[port] += 1
        elif (host, port) in self.allowed:
            self._count("datagrams")
        elif is_private(host):
            self._deny(event, (host, port))
        else:
            self._count("public")
            raise OSError("a public address is not reached from a test")

    def _deny(self, event: str, what: object) -> None:
        self._count("denied")
        self.denied[get_ident()] = f"{event} {what!r}"
        raise OSError("stopped by the watch")

    def _count(self, word: str) -> None:
        with self._lock:
            self.counts[word] += 1


def _local(sock: object) -> object:
    return sock.getsockname() if isinstance(sock, socket.socket) else None


_watching: list[Watch] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event.startswith("socket."):
        _watching[-1].see(event, arguments)


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch this process, in all of its threads, during the block."""
    if not _Hooked.done:
        # A hook stays for the life of the process; outside of such a block it does nothing.
        sys.addaudithook(_hook)
        _Hooked.done = True
    watch = Watch()
    _watching.append(watch)
    try:
        yield watch
    finally:
        _watching.remove(watch)


class _Hooked:
    done = False
