"""A provider's API, jobs that were started there, and the poller that asks for them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import psycopg

from services.ingest.events import Answer, Events
from services.ingest.poller import Poller
from services.ingest.polling.inquiry import Inquiry
from services.ingest.polling.question import Questions
from services.ingest.reported import Job, Reported
from shared.db import Database
from shared.db.clock import DatabaseClock
from shared.egress import Policy
from shared.providers import Provider, Registry
from shared.providers.calls import Calls
from shared.providers.entry import Credential, Poll
from shared.providers.keys import Keys
from shared.providers.model import Overrides
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.faults.answers import answer
from tests.faults.canary import CANARY, LINK
from tests.faults.server import FaultServer, Line, Script
from tests.integration.broker.polling import eventually
from tests.integration.db.conftest import As
from tests.integration.db.test_leases import read
from tests.integration.ingest.conftest import event_of

FRESH = "https://cdn.acme.example" + LINK
QUICK: dict[str, Any] = {"first_seconds": 0, "every_seconds": 0.2, "most_seconds": 0.5, "per_second": 50}


def says(value: object, *fields: str, status: int = 200) -> Script:
    """A document."""
    return answer(json.dumps(value).encode(), "Content-Type: application/json", *fields, status=status)


def done(*links: str | None, **more: Any) -> Script:
    """The record of a finished job with these links."""
    return says({"status": "succeeded", "outputs": [{"url": link} for link in links], **more})


class Api:
    """The API of one provider: `jobs` leads answers by the last part of their path; a job without a script runs."""

    def __init__(self) -> None:
        self.jobs: dict[str, Script] = {}
        self.server = FaultServer(self._lead)

    def asked(self, name: str = "") -> int:
        """How many questions came, about one job or all."""
        return sum(request.target.endswith(name) for request in list(self.server.requests))

    def keys(self, name: str) -> set[str | None]:
        """The keys that came with the questions about a job."""
        found = [request for request in self.server.requests if request.target.endswith(name)]
        return {request.headers.get("x-key") for request in found}

    def entry(self, folder: Path, name: str = "acme", *, url: str | None = "/jobs/{job_id}", **poll: Any) -> Provider:
        """The provider as an entry, whose keys lie in the folder."""
        address = self.server.url(url) if url else None
        file, origins = str(folder / "{provider_account}.key"), (self.server.url(""),)
        return Provider(
            name=name,
            credential=Credential(header="X-Key", file=file, origins=origins),
            poll=Poll(url=address, **{**QUICK, **poll}),
        )

    def _lead(self, line: Line) -> None:
        name = line.request.target.partition("?")[0].rpartition("/")[2]
        self.jobs.get(name, says({"status": "running"}))(line)


class Polls:
    """Jobs and their pollers."""

    def __init__(
        self, test_database: TestDatabase, as_role: As, vault: Vault, folder: Path, *apis: FaultServer
    ) -> None:
        self.folder = folder
        self.database: Database = as_role("ingest")
        self._test_database, self._vault = test_database, vault
        self.policy = Policy(
            allow=frozenset(server.pair for server in apis), http=True, connect_seconds=5.0, idle_seconds=5.0
        )
        self.write_key("main")
        self.know()

    def know(self, *entries: Provider, of_models: Overrides = ()) -> None:
        """From here on these are the providers; the first has further entries for some of its models."""
        overrides = {entries[0].name: of_models} if entries else {}
        self.registry = Registry([*entries, Provider(name="generic")], overrides)
        self.keys = Keys(self.registry.all())
        self.events = Events(self.database, self._vault, self.registry, lambda _: None)
        self.reported = Reported(self.database, self.events)

    def write_key(self, account: str, key: str | None = None) -> str:
        """Give a provider account its key, or another one."""
        told = key or f"{CANARY}-key-of-{account}"
        (self.folder / f"{account}.key").write_text(told)
        return told

    def say(self, name: str, **data: Any) -> Answer:
        """Bring an event in."""
        event = event_of(name, **data)
        return self.events.accept("studio", event, event.id.encode())

    def start(self, *jobs: str, age: float = 300.0, account: str = "main", **more: Any) -> None:
        """Jobs that began so many seconds ago."""
        started_at = datetime.now(UTC) - timedelta(seconds=age)
        for job in jobs:
            data = {"provider_account": account, "started_at": started_at, **more}
            self.say("generation.started", job_id=job, **data)

    def poller(self, *, questions: int = 8, generation_seconds: float = 86400.0) -> Poller:
        """A poller that nobody started."""
        stopping = Event()
        inquiry = Inquiry(
            self.database,
            self.reported,
            self.registry,
            Questions(self._vault, self.keys, self.policy, stopping.is_set),
            Calls("poll", self.registry),
            DatabaseClock(self.database).now,
        )
        rates = self.registry.polled()
        return Poller(
            self.database, rates, inquiry, stopping, questions=questions, generation_seconds=generation_seconds
        )

    @contextmanager
    def running(self, **options: Any) -> Iterator[Poller]:
        """A poller at work."""
        poller = self.poller(**options)
        poller.start()
        try:
            yield poller
        finally:
            poller.stop()

    def until_ended(self, number: int, seconds: float = 20.0, **options: Any) -> None:
        """Let a poller work until nobody asks for so many jobs any more."""
        with self.running(**options):
            eventually(lambda: self.rows("SELECT count(*) FROM jobs WHERE due_at IS NULL") == [(number,)], seconds)

    def hastened_to_the_end(self) -> bool:
        """Whether no job is asked for any more; lets all that wait be due now, but for what may be asked just now."""
        self.change("UPDATE jobs SET due_at = now() WHERE due_at < now() + interval '40 s'")
        return self.rows("SELECT FROM jobs WHERE due_at IS NOT NULL") == []

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Of a query as the superuser."""
        return read(self._test_database, query)

    def change(self, statement: str) -> None:
        """Change rows as the superuser."""
        with psycopg.connect(self._test_database.url(), autocommit=True) as connection:
            connection.execute(statement.encode())

    def tasks(self) -> dict[tuple[str, str], str]:
        """State or reason of every task, by job and output."""
        rows = self.rows("SELECT job_id, output_id, coalesce(reason, state) FROM tasks")
        return {(job, output): word for job, output, word in rows}

    def link_of(self, job: str, output: str = "0") -> str:
        """The newest link of an output, opened."""
        [(task_id, source_id, sealed)] = self.rows(
            "SELECT task_id, source_id, sealed FROM sources JOIN tasks USING (task_id)"
            f" WHERE job_id = '{job}' AND output_id = '{output}' ORDER BY added_at DESC LIMIT 1"
        )
        return self._vault.unseal(task_id, source_id, bytes(sealed))


def job_of(name: str) -> Job:
    """A job at `acme`."""
    return Job("studio", "acme", "main", name)


def job_key(name: str) -> UUID:
    """The id of a job's row."""
    return job_of(name).key
