"""The one door for events, on a database of its own, and what may be seen of what came in."""

import os
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from services.ingest.events import Answer, Events
from shared.messages import EVENTS, IntakeEvent
from shared.providers import Registry
from shared.vault import Vault
from tests.conftest import TestDatabase
from tests.integration.db.conftest import As, as_role
from tests.integration.db.test_leases import read

__all__ = ["as_role"]

Say = Callable[..., Answer]
See = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def vault() -> Vault:
    return Vault({"k1": os.urandom(32)})


@pytest.fixture
def woken() -> list[UUID]:
    """The tasks that a downloader was told of."""
    return []


@pytest.fixture
def events(as_role: As, vault: Vault, woken: list[UUID]) -> Events:
    return Events(as_role("ingest"), vault, Registry.load(), woken.append)


def event_of(name: str, *, event_id: str | None = None, **data: Any) -> IntakeEvent:
    """An event of a type by its last words (`output.ready`), about the job `job-1` if no other is named."""
    kind = f"outlast.{name}"
    if name not in ("object.created", "asset.reviewed"):
        data = {"provider": "acme", "job_id": "job-1", **data}
    return EVENTS[kind].model_validate({"id": event_id or uuid4().hex, "source": "tests", "type": kind, "data": data})


@pytest.fixture
def say(events: Events) -> Say:
    """`say("output.ready", output_id="1")` brings an event in; `account` speaks for another than `studio`."""

    def run(name: str, *, account: str = "studio", **fields: Any) -> Answer:
        event = event_of(name, **fields)
        return events.accept(account, event, event.id.encode())

    return run


@pytest.fixture
def see(database: TestDatabase) -> See:
    """Runs a query as the superuser."""
    return lambda statement: read(database, statement)
