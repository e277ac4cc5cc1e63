"""The outbox of announcements: rows that are due are sent, confirmed, and closed; at least once."""

from collections.abc import Mapping
from threading import Event, Thread
from typing import Any, Protocol

import structlog

from shared import topology
from shared.broker.publisher import Publisher
from shared.db import Database
from shared.errors import Failure
from shared.messages import AssetComplete, EventRejected, NeedsAttention, Told, cloud_event
from shared.reasons import Reason
from shared.telemetry import metrics
from shared.topology import Announcement

log = structlog.get_logger(__name__)

EVERY_SECONDS = 1.0
CONFIRM_SECONDS = 10.0
ACTIVE_CHECK, ACTIVE_NOTE = "no_active_content", "active_content"
"""The verifier's check that found none, and its note that there is some."""


class Outbox(Protocol):
    """One kind of announcement: how its due rows are taken, told and closed."""

    def due(self, database: Database) -> list[Mapping[str, Any]]:
        """Take the rows that are due."""

    def message(self, row: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """The routing key, the event's id and its data."""

    def close(self, database: Database, row: Mapping[str, Any]) -> None:
        """Close a row that was sent."""


class Results:
    """Announces finished tasks: `asset.complete` and `task.needs_attention`."""

    def due(self, database: Database) -> list[Mapping[str, Any]]:
        """Take due tasks."""
        return database.run("announce")

    def message(self, row: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """A reference to the asset, or the reason with its sentence."""
        if row["state"] == "complete":
            kind, told = Announcement.ASSET_COMPLETE, _complete(row)
        else:
            sentence = Reason(row["reason"]).ending
            kind, told = Announcement.NEEDS_ATTENTION, NeedsAttention.model_validate({**row, "sentence": sentence})
        return topology.results_key(kind, row["account"]), str(row["task_id"]), told.model_dump(mode="json")

    def close(self, database: Database, row: Mapping[str, Any]) -> None:
        """Close the task's announcement."""
        database.run("announced", task_id=row["task_id"], announce_at=row["announce_at"], state=row["state"])


class Rejections:
    """Announces intake bodies that were no event: `event.rejected`."""

    def due(self, database: Database) -> list[Mapping[str, Any]]:
        """Take due rejections."""
        return database.run("announce_rejected")

    def message(self, row: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """The fault and the digest of the body, never the body."""
        told = EventRejected.model_validate(row)
        key = topology.results_key(Announcement.EVENT_REJECTED, row["account"])
        return key, row["body_sha256"], told.model_dump(mode="json")

    def close(self, database: Database, row: Mapping[str, Any]) -> None:
        """Close the rejection's announcement."""
        database.run(
            "announced_rejected",
            account=row["account"],
            body_sha256=row["body_sha256"],
            announce_at=row["announce_at"],
        )


def _complete(row: Mapping[str, Any]) -> Told:
    bucket, _, key = row["durable_uri"].removeprefix("s3://").partition("/")
    reference = {"bucket": bucket, "key": key, "version_id": row["version_id"], "size": row["size"]}
    return AssetComplete.model_validate(
        {
            **row,
            "object": {**reference, "sha256": row["h3"]},
            "uri": row["durable_uri"],
            "media": row["facts"],
            "flags": _flags(row),
        }
    )


def _flags(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"active_content": _active_content(row["facts"]), "review": row["review"], "contains": row["flags"]}


def _active_content(facts: Mapping[str, Any]) -> bool | None:
    """Whether the verifier found content that may run; None where it did not look."""
    if ACTIVE_NOTE in facts.get("notes", ()):
        return True
    return False if ACTIVE_CHECK in facts.get("checks", ()) else None


class Announcer:
    """One thread that sends what is due."""

    def __init__(self, database: Database, publisher: Publisher, outbox: Outbox) -> None:
        self._database = database
        self._publisher = publisher
        self._outbox = outbox
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="announcer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the announcement under way."""
        self._stopping.set()
        self._thread.join(CONFIRM_SECONDS + EVERY_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                if self._publisher.connected:
                    self._announce()
            except Failure as failure:
                log.warning("announcements_wait", reason=str(failure.reason))
            except Exception:
                log.exception("announcer_broke")

    def _announce(self) -> None:
        while rows := self._outbox.due(self._database):
            for row in rows:
                self._tell(row)

    def _tell(self, row: Mapping[str, Any]) -> None:
        """Send one and close it; one that cannot be told waits for its next turn and holds up no other."""
        try:
            self._send(row)
            self._outbox.close(self._database, row)
        except Failure:
            raise
        except Exception:
            log.exception("announcement_broke")

    def _send(self, row: Mapping[str, Any]) -> None:
        routing_key, event_id, data = self._outbox.message(row)
        kind = "outlast." + routing_key.removesuffix("." + row["account"])
        sent = self._publisher.send(
            topology.RESULTS,
            routing_key,
            cloud_event(kind, event_id, row["account"], data),
            message_id=event_id,
            headers={},
            timeout=CONFIRM_SECONDS,
        )
        metrics.ANNOUNCEMENTS.add(outcome=str(sent))
