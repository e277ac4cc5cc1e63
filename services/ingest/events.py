"""The one door for every event, wherever it came from: `accept`."""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from services.ingest.deadlines import deadlines_of
from shared.db import Database
from shared.db.database import Steps
from shared.links import place_of
from shared.messages import OutputReadyEvent, download_key, task_id_of
from shared.providers import Registry
from shared.telemetry import traces
from shared.vault import Vault


class Outcome(StrEnum):
    """What an event was."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    ID_CONFLICT = "id_conflict"
    """Its id was used before, for another output: nothing was stored."""


class Events:
    """Accepts events: recorded once, task made or found, source sealed, deadline set, in one transaction."""

    def __init__(self, database: Database, vault: Vault, registry: Registry, wake: Callable[[UUID], None]) -> None:
        """`wake` tells the downloader of a task; it may be lost without harm."""
        self._database = database
        self._vault = vault
        self._registry = registry
        self._wake = wake

    def accept(self, account: str, event: OutputReadyEvent, body: bytes) -> Outcome:
        """Store an event and wake its stage. Raises Failure(Reason.DATABASE) while nothing can be stored."""
        task_id = task_id_of(account, event.data)
        steps: Steps = [
            ("lock_task", {"task_id": str(task_id)}),
            ("hold_task", {"task_id": task_id}),
            ("accept", self._values(account, event, body, task_id)),
        ]
        word = None
        while word is None:
            # No word: the same id was recorded for another output while this statement ran; the next one sees it.
            word = self._database.run_all(steps)[0]["outcome"]
        outcome = Outcome(word)
        if outcome is Outcome.ACCEPTED:
            self._wake(task_id)
        return outcome

    def _values(self, account: str, event: OutputReadyEvent, body: bytes, task_id: UUID) -> dict[str, Any]:
        data, now, source_id = event.data, datetime.now(UTC), uuid4()
        # A producer's clock may run ahead; an output cannot be ready in the future.
        ready_at = min(data.ready_at or event.time or now, now)
        times = deadlines_of(data, ready_at, now, self._registry.find(data.provider))
        place = place_of(data.link or "")
        return {
            "account": account,
            "source": event.source,
            "event_id": event.id,
            "body_sha256": sha256(body).hexdigest(),
            "task_id": task_id,
            "download_key": download_key(account, data.provider, data.provider_account, data.job_id, data.output_id),
            "provider": data.provider,
            "provider_account": data.provider_account,
            "job_id": data.job_id,
            "output_id": data.output_id,
            "operation_id": data.operation_id or data.job_id,
            "attempt_id": data.attempt_id,
            "variant": data.variant,
            "retention_class": data.retention_class,
            "display_name": data.display_name,
            "promised_kind": str(data.kind) if data.kind else None,
            "expected": data.expected.model_dump(mode="json", exclude_none=True),
            "traceparent": traces.current_traceparent(),
            "lane": self._registry.lane(data.provider, place.host),
            "ready_at": ready_at,
            "url_expires_at": times.url_expires_at,
            "deadline": times.deadline,
            "life_seconds": times.life_seconds,
            "source_id": source_id,
            "sealed": self._vault.seal(task_id, source_id, data.link) if data.link else None,
            "host": place.host,
            "path_sha256": place.path_sha256,
            "issued_at": times.issued_at,
            "expires_from": times.expires_from,
            "confidence": times.confidence,
        }
