"""The telemetry port of every process: `/livez`, `/readyz` and `/metrics`."""

import os
import threading
from collections.abc import Callable

from shared.errors import UsageError
from shared.telemetry.checks import Check, Problems
from shared.telemetry.listener import TEXT, Answer, Listener, Pages
from shared.telemetry.metrics import REGISTER
from shared.telemetry.register import Register

METRICS_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Server:
    """A running telemetry port; `port` is its number."""

    def __init__(self, host: str, port: int, pages: Pages) -> None:
        self._listener = Listener(host, port, pages)
        self.port: int = self._listener.server_address[1]
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.1,), name="telemetry", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more and end the open connections."""
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


def serve(host: str, port: int, *, live: Problems, ready: Problems, register: Register = REGISTER) -> Server:
    """Serve in the background until `close`; port 0 takes a free one.

    `live` and `ready` say what is wrong: nothing is 200 `ok`, else 503 with a line per problem.
    Raises UsageError when the address cannot be listened on.
    """
    if {"PROMETHEUS_MULTIPROC_DIR", "prometheus_multiproc_dir"} & os.environ.keys():
        raise UsageError("Unset PROMETHEUS_MULTIPROC_DIR: each process of Outlast serves its own metrics.")
    pages: Pages = {
        "/livez": _health(Check("live", live)),
        "/readyz": _health(Check("ready", ready)),
        "/metrics": lambda: (200, METRICS_TEXT, register.render()),
    }
    try:
        return Server(host, port, pages)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            f"Cannot listen on {host}, port {port}: {reason}. Set OUTLAST_HTTP_HOST or OUTLAST_HTTP_PORT."
        ) from error


def _health(check: Check) -> Callable[[], Answer]:
    def page() -> Answer:
        problems = check.problems()
        return (503 if problems else 200), TEXT, "\n".join([*(problems or ["ok"]), ""]).encode()

    return page
