"""A provider's API on loopback: job records and files by script, with every request kept."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import unquote

import psycopg

from tests.faults.answers import answer
from tests.faults.server import FaultServer, Line, Script
from tests.system.conftest import System
from tests.system.source import CANARY

NAME = "acme"
SECRETS = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}

ENTRY = """\
name = "acme"
hosts = ["127.0.0.1", "127.0.0.2"]
[credential]
header = "x-goog-api-key"
file = "{folder}/{{provider_account}}.key"
origins = ["{origin}"]
[refresh]
url = "{origin}/jobs/{{job_id}}"
error = "base_resp.status_code || code"
gone = ["UNKNOWN"]
limited = [1002, 1303]
output_url = "url || @"
output_error = "code"
"""


class Provider:
    """The API and its CDN. `jobs` leads answers about jobs by their ids, `files` those to `/files/NAME` at either."""

    def __init__(self) -> None:
        self.jobs: dict[str, Script] = {}
        self.files: dict[str, Script] = {}
        self.times: dict[str, list[float]] = {}
        self.api, self.cdn = FaultServer(self._lead), FaultServer(self._lead)

    def content(self, name: str) -> str:
        """A file at the API, which needs the key."""
        return self.api.url(f"/files/{name}?alt=media")

    def link(self, name: str) -> str:
        """A file at the CDN, which does not."""
        return self.cdn.url(f"/files/{name}?sig={CANARY}")

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return len(self.times.get(path, []))

    def pauses(self, path: str) -> list[float]:
        """Seconds between the requests for a path."""
        times = self.times[path]
        return [after - before for before, after in pairwise(times)]

    def keys_shown(self, path: str) -> set[str | None]:
        """The keys that came with the requests for a path."""
        found = [request for request in self.api.requests if request.target.partition("?")[0] == path]
        return {request.headers.get("x-goog-api-key") for request in found}

    def _lead(self, line: Line) -> None:
        path = unquote(line.request.target.partition("?")[0])
        self.times.setdefault(path, []).append(monotonic())
        _, kind, name = path.split("/", 2)
        scripts = {"jobs": self.jobs, "files": self.files}.get(kind, {})
        scripts.get(name, answer(b"not here", status=404))(line)


@contextmanager
def provider_of(system: System, *others: FaultServer) -> Iterator[Provider]:
    """A provider that the services of `system` know as `acme`, with two keys; `others` may be reached too."""
    provider, folder = Provider(), system.folder / "providers"
    folder.mkdir()
    for account in ("default", "main"):
        write_key(system, account)
    with ExitStack() as servers:
        servers_up = (provider.api, provider.cdn, *others)
        for server in servers_up:
            servers.enter_context(server)
        (folder / "acme.toml").write_text(ENTRY.format(folder=folder, origin=provider.api.url("")))
        pairs = [system.source.pair, *(f"{each.host}:{each.port}" for each in servers_up)]
        system.environment |= {"OUTLAST_PROVIDERS_DIR": str(folder), "OUTLAST_EGRESS_ALLOW": ",".join(pairs)}
        try:
            yield provider
        finally:
            # Before the servers go, so that no service says goodbye to a closed door.
            system.stop_all()


def write_key(system: System, account: str, key: str | None = None) -> None:
    """Give a provider account its key, or another one."""
    (system.folder / "providers" / f"{account}.key").write_text(key or f"KEY-{account}")


def record(*links: str | None, **more: Any) -> Script:
    """The record of a finished job with these links."""
    return answer(json.dumps({"status": "succeeded", "outputs": list(links), **more}).encode())


def without_link(system: System, job: str, output: str = "0", **more: Any) -> tuple[str, bytes]:
    """The event of an output whose link or bytes only the provider can give."""
    key, body = system.event("", job=job, output_id=output, **{"provider": NAME, **more})
    event = json.loads(body)
    del event["data"]["url"]
    return key, json.dumps(event).encode()


def in_order(*scripts: Script) -> Script:
    """One script after the other, and the last one for ever."""
    left, lock = list(scripts), Lock()

    def lead(line: Line) -> None:
        with lock:
            script = left.pop(0) if len(left) > 1 else left[0]
        script(line)

    return lead


def hasten(system: System) -> None:
    """Let every waiting retry be due now."""
    with psycopg.connect(system.database.url(), autocommit=True) as connection:
        connection.execute("SET ROLE outlast_downloader")
        connection.execute("UPDATE tasks SET wake_at = NULL WHERE state = 'download_retry'")
