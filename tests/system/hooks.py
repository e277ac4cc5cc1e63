"""A provider `acme` that can be asked and signs its webhooks, one `dumb` that does not sign, and ways to send them."""

import json
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from standardwebhooks import Webhook

from services.ingest.webhooks import path_of
from tests.faults.sender import Post
from tests.faults.server import FaultServer
from tests.faults.way import Way
from tests.system.conftest import System
from tests.system.provider import Provider, provider_of

ENTRY = """
name = "{name}"
hosts = ["127.0.0.1"]
[credential]
header = "x-goog-api-key"
file = "{folder}/{{provider_account}}.key"
[record]
job_id = "id"
output_url = "@"
[poll]
url = "{origin}/jobs/{{job_id}}"
first_seconds = 3600
per_second = 50
[webhook]
"""
STANDARD = 'scheme = "standard"\nsecret_file = "{folder}/{{provider_account}}.webhook"\n'
UNSIGNED = 'scheme = "unsigned"\nreports = false\n'
URL = "https://hooks.example/in"


@dataclass(frozen=True)
class Posting:
    """A webhook to be sent; signed anew each time, as its time is signed too."""

    port: int
    path: str
    body: bytes
    signer: Webhook
    hook_id: str

    def __call__(self) -> Post:
        """One request."""
        now = datetime.now(UTC)
        signature = self.signer.sign(self.hook_id, now, self.body.decode())
        sent = str(int(now.timestamp()))
        headers = {"webhook-id": self.hook_id, "webhook-timestamp": sent, "webhook-signature": signature}
        return self.port, self.path, headers, self.body


@dataclass(frozen=True)
class Hooks:
    """What a provider needs to send webhooks to an ingest of the system."""

    system: System
    provider: Provider
    key: bytes
    secret: str

    def start(self, *, name: str = "ingest", doors: str = "intake,poller,webhooks", **variables: str) -> str:
        """Start an ingest with these doors."""
        return self.system.start("ingest", name=name, OUTLAST_DOORS=doors, **variables)

    def port(self, name: str = "ingest") -> int:
        """Where that ingest takes webhooks."""
        lines = [json.loads(line) for line in self.system.log(name).splitlines() if '"webhooks_open"' in line]
        port: int = lines[-1]["port"]
        return port

    def path(self, provider: str = "acme") -> str:
        """The callback's path."""
        return "/in" + path_of(self.key, "studio", provider, "default")

    def posting(
        self, record: Mapping[str, Any] | bytes, *, name: str = "ingest", provider: str = "acme", hook_id: str = ""
    ) -> Posting:
        """A webhook to be sent."""
        body = record if isinstance(record, bytes) else json.dumps(record).encode()
        signer, hook_id = Webhook(self.secret), hook_id or f"msg_{uuid4().hex}"
        return Posting(self.port(name), self.path(provider), body, signer, hook_id)

    def counted(self, outcome: str, name: str = "ingest") -> int:
        """How often an ingest counted an outcome."""
        found = f'outlast_webhooks_total{{outcome="{outcome}"}} '
        lines = self.system.http(name, "/metrics")[1].splitlines()
        return int(sum(float(line.removeprefix(found)) for line in lines if line.startswith(found)))


@contextmanager
def hooks_of(system: System, *others: FaultServer) -> Iterator[Hooks]:
    """The providers, their files, and the settings of the door; nothing is started."""
    with provider_of(system, *others) as provider:
        folder = system.folder / "providers"
        key, secret = os.urandom(32), b64encode(os.urandom(24)).decode()
        (system.folder / "door").write_text(b64encode(key).decode())
        (folder / "default.webhook").write_text(f"whsec_{secret}\n")
        for name, scheme in (("acme", STANDARD), ("dumb", UNSIGNED)):
            text = (ENTRY + scheme).format(name=name, folder=folder, origin=provider.api.url(""))
            (folder / f"{name}.toml").write_text(text)
        system.environment |= {"OUTLAST_WEBHOOK_URL": URL, "OUTLAST_WEBHOOK_KEY_FILE": str(system.folder / "door")}
        yield Hooks(system, provider, key, secret)


@contextmanager
def way_to(url: str) -> Iterator[tuple[Way, str]]:
    """A way to the server of a URL, and the same URL by that way."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    way = Way(parts.hostname, parts.port)
    try:
        yield way, urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{way.port}")))
    finally:
        way.close()
