"""The webhook door: a public HTTP port, served beside the other parts of ingest."""

import asyncio
import socket
import sys
from threading import Thread

import structlog
import uvicorn
from starlette.types import ASGIApp

from services.ingest.webhooks.connection import Connection
from shared.errors import UsageError

log = structlog.get_logger(__name__)

MOST_HEAD_BYTES = 32 * 1024
BACKLOG = 1024
SWITCH_SECONDS = 0.0005
"""How long a thread works while others wait, as the loop does for each of those that store webhooks."""
FINISH_SECONDS = 8
"""How long requests in progress have to end when the service stops; nobody waits longer for a body or an answer."""


class Door:
    """Listens from the start on, and serves the application from a thread and an event loop of its own."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        """Port 0 takes a free one. Raises UsageError when the address cannot be listened on."""
        self._socket = _listening(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._server = uvicorn.Server(_config(app))
        self._thread = Thread(target=self._serve, name="webhooks", daemon=True)
        self._host = host

    def start(self) -> None:
        """Serve."""
        sys.setswitchinterval(SWITCH_SECONDS)
        self._thread.start()
        log.info("webhooks_open", host=self._host, port=self.port)

    def stop(self) -> None:
        """Refuse new requests, and let those in progress end."""
        self._server.should_exit = True
        self._thread.join(FINISH_SECONDS + 2.0)

    def problems(self) -> list[str]:
        """Why nobody gets in, if so."""
        is_open = self._server.started and self._thread.is_alive() and not self._server.should_exit
        return [] if is_open else ["the webhook door does not listen"]

    def _serve(self) -> None:
        # Not `run`, which would ask for another loop where one is installed.
        asyncio.run(self._server.serve([self._socket]))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            f"Cannot listen on {host}, port {port}: {reason}. Set OUTLAST_WEBHOOK_HOST or OUTLAST_WEBHOOK_PORT."
        ) from error


def _config(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves: nothing of a request gets into its log, and no header of a proxy is believed."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        timeout_graceful_shutdown=FINISH_SECONDS,
    )
