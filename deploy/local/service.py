"""One of the four services as a child process of the local stack."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.local.loopback import call
from deploy.local.ports import HOST
from deploy.local.process import Process

NAMES = ("ingest", "downloader", "verifier", "promoter")


class Service:
    """`python -m services.NAME` with the variables in `environment`, and its port for health and metrics."""

    def __init__(self, name: str, folder: Path, ports: Mapping[str, int]) -> None:
        # A little more than the time that the service gives itself.
        self.process = Process(name, folder, grace_seconds=35.0)
        self._ports = ports
        self.environment: Mapping[str, str] = {}

    @property
    def port(self) -> int:
        """The port of its health and metrics."""
        return self._ports[self.process.name]

    def address(self) -> str:
        """The URL of its metrics."""
        return f"http://{HOST}:{self.port}/metrics"

    def start(self, *, detach: bool) -> None:
        """Start it. What the starter's own environment says counts where the stack has nothing to say."""
        own = {"OUTLAST_HTTP_HOST": HOST, "OUTLAST_HTTP_PORT": str(self.port), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", f"services.{self.process.name}"]
        self.process.start(command, {**os.environ, **own, **self.environment}, detach=detach)

    def missing(self) -> str:
        """What it lacks, as its `/readyz` says; empty when it is ready."""
        status, body = call(self.port, "GET", "/readyz")
        return "" if status == 200 else f"/readyz: {status} {body}"
