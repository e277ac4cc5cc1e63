"""A webhook door before a real database, with providers that sign and providers that do not."""

import http.client
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.ingest.events import Events
from services.ingest.reported import Reported
from services.ingest.webhooks.addressee import Addressees
from services.ingest.webhooks.closing import Closing
from services.ingest.webhooks.door import Door
from services.ingest.webhooks.following import Follower
from services.ingest.webhooks.hearing import Hearing
from services.ingest.webhooks.receive import Receiver
from shared.db import Database
from shared.db.clock import DatabaseClock
from shared.providers import Provider, Registry
from tests.faults.canary import CANARY
from tests.unit.ingest.webhooks.knocking import KEY, SECRET, URL, path, signed
from tests.unit.ingest.webhooks.senders import Published

POLL = {"url": "https://api.acme.example/jobs/{job_id}", "first_seconds": 3600}
RECORD = {"job_id": "id", "model": "model", "failed_if": "is_bad", "filtered": ("moderated",), "gone": ("lost",)}
SIGNED = {**RECORD, "scheme": "hmac", "signature": "X-Signature"}
UNSIGNED = {**RECORD, "scheme": "unsigned", "reports": False}
MOST_BYTES = 200_000


def entries(folder: Path) -> Registry:
    """`acme` signs, `luma2` does not, `given` is asked where an event says, and `nowhere` cannot be asked."""
    (folder / "default.secret").write_text(SECRET)
    secret = {"secret_file": f"{folder}/{{provider_account}}.secret"}
    made: dict[str, dict[str, Any]] = {
        "acme": {"webhook": {**SIGNED, **secret}, "poll": POLL},
        "luma2": {"webhook": UNSIGNED, "poll": POLL},
        "nowhere": {"webhook": UNSIGNED},
        "given": {"webhook": UNSIGNED, "poll": {"first_seconds": 3600}},
    }
    own = [Provider.model_validate({"name": name, **tables}) for name, tables in made.items()]
    return Registry([*Registry.load().all(), *own])


@dataclass(frozen=True)
class Doorway:
    """An open door."""

    door: Door
    closing: Closing

    def stop(self) -> None:
        """Close it."""
        self.door.stop()
        self.closing.stop()

    def send(self, content: Mapping[str, Any] | bytes, provider: str = "acme", **headers: str) -> tuple[int, str]:
        """Send a webhook, signed where its provider signs; returns status and text of the answer."""
        whole = content if isinstance(content, bytes) else json.dumps(content).encode()
        fields = {"X-Signature": signed(whole)["x-signature"].decode(), **headers}
        with closing(http.client.HTTPConnection("127.0.0.1", self.door.port, timeout=20)) as line:
            line.request("POST", path(provider), whole, fields)
            answer = line.getresponse()
            return answer.status, answer.read().decode()


def open_doorway(database: Database, events: Events, registry: Registry) -> Doorway:
    """Open a door."""
    clock, ending = DatabaseClock(database).now, Closing(database)
    hearing = Hearing(registry, Published(()), clock, MOST_BYTES)
    follower = Follower(database, events, Reported(database, events), ending, clock)
    receiver = Receiver(Addressees(URL, [KEY], registry), hearing, follower, MOST_BYTES)
    opened = Doorway(Door(receiver, "127.0.0.1", 0), ending)
    ending.start()
    opened.door.start()
    return opened


def record(job: str = "job-1", status: str = "succeeded", outputs: int = 1, **more: Any) -> dict[str, Any]:
    """A job record with links to outputs."""
    links = [{"url": f"https://cdn.acme.example/{job}/{number}?sig={CANARY}"} for number in range(outputs)]
    return {"id": job, "status": status, "outputs": links, **more}
