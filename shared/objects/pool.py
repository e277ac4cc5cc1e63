"""The connections of minio's client, made here as its own wait 5 minutes, repeat writes and redirect.

This is no door to the world: it leads only to the configured store, never to a URL of a task.
"""

import socket
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, Retry, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection

CONNECT_SECONDS = 5.0
READ_SECONDS = 60.0
SLOW_SECONDS = 600.0
"""Silence allowed where the store works on a whole object before it answers: a copy, a completion."""

_CONNECTIONS = 64
_SLICE = 256 * 1024
# A peer that vanished while we wait for a long answer is noticed in about 30 s.
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
]


def open_pool(read_seconds: float) -> PoolManager:
    """A thread-safe pool to one store, with limits in seconds for connecting and for silence.

    It keeps up to 64 connections and never makes a thread wait for one: a thread that reads an object
    may need a second to write. Only reads are repeated, twice, and never after a delay the store dictates.
    """
    pool = PoolManager(
        maxsize=_CONNECTIONS,
        timeout=Timeout(connect=CONNECT_SECONDS, read=read_seconds),
        socket_options=[*HTTPConnection.default_socket_options, *_KEEPALIVE],
        retries=Retry(
            total=2,
            redirect=False,
            allowed_methods={"GET", "HEAD"},
            status_forcelist={500, 502, 503, 504},
            raise_on_status=False,
            respect_retry_after_header=False,
            backoff_factor=0.2,
            backoff_jitter=0.2,
        ),
    )
    pool.pool_classes_by_scheme = {"http": _PlainPool, "https": _TlsPool}
    return pool


def _send(self: HTTPConnection, data: Any) -> None:
    """Send in slices, each with the read limit: urllib3 sends a whole part within the connect limit."""
    if self.sock is None:
        self.connect()
    self.sock.settimeout(READ_SECONDS)
    view = memoryview(data)
    for start in range(0, len(view), _SLICE):
        HTTPConnection.send(self, view[start : start + _SLICE])


class _Plain(HTTPConnection):
    send = _send


class _Tls(HTTPSConnection):
    send = _send


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _Tls
