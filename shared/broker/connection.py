"""Opening a kombu (py-amqp) connection in bounded time."""

import logging
import socket
import ssl
from collections.abc import Callable
from typing import Any

import kombu

from shared.broker.address import Address

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 5.0
"""Limit for the broker's answer to a method (open, declare, close), in seconds."""
HEARTBEAT_SECONDS = 15

# py-amqp sets 1 s, which takes a slow network for a dead peer.
_UNACKNOWLEDGED_MILLISECONDS = 2 * HEARTBEAT_SECONDS * 1000


def connect(
    address: Address,
    *,
    name: str,
    on_blocked: Callable[[str], None] | None = None,
    on_unblocked: Callable[[], None] | None = None,
) -> Any:
    """Open a connection once, without any retry: an `amqp.Connection` that people know by `name`.

    Raises OSError or amqp.AMQPError.
    """
    logging.getLogger("amqp").setLevel(logging.WARNING)
    client = kombu.Connection(
        hostname=f"[{address.host}]" if ":" in address.host else address.host,
        port=address.port,
        userid=address.user,
        password=address.password,
        virtual_host=address.virtual_host,
        ssl={"server_hostname": address.host, "cert_reqs": ssl.CERT_REQUIRED} if address.tls else False,
        transport="pyamqp",
        connect_timeout=CONNECT_SECONDS,
        heartbeat=HEARTBEAT_SECONDS,
        transport_options={
            "client_properties": {"connection_name": name},
            "read_timeout": ANSWER_SECONDS,
            "write_timeout": ANSWER_SECONDS,
            "socket_settings": {socket.TCP_USER_TIMEOUT: _UNACKNOWLEDGED_MILLISECONDS},
            "on_blocked": on_blocked,
            "on_unblocked": on_unblocked,
        },
    )
    # `Connection.connect` sleeps and tries again; the transport tries once.
    return client.transport.establish_connection()
