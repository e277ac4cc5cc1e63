"""The outbox of announcements: rows that are due are sent, confirmed, and closed; at least once."""

from collections.abc import Mapping
from threading import Event, Thread
from typing import Any, Protocol

import structlog

from shared import topology
from shared.broker.publisher import Publisher
from shared.db import Database
from shared.errors import Failure
from shared.messages import cloud_event
from shared.reasons import Reason
from shared.telemetry import metrics
from shared.topology import Announcement

log = structlog.get_logger(__name__)

EVERY_SECONDS = 1.0
CONFIRM_SECONDS = 10.0


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
        data: dict[str, Any] = {
            name: str(row[name]) if name == "task_id" else row[name]
            for name in (
                "task_id",
                "account",
                "provider",
                "job_id",
                "output_id",
                "operation_id",
                "attempt_id",
                "kind",
            )
        }
        if row["state"] == "complete":
            bucket, _, key = row["durable_uri"].removeprefix("s3://").partition("/")
            data["object"] = {"bucket": bucket, "key": key, "size": row["size"], "sha256": row["h3"]}
            data |= {"uri": row["durable_uri"], "media": row["facts"], "display_name": row["display_name"]}
            return (
                topology.results_key(Announcement.ASSET_COMPLETE, row["account"]),
                str(row["task_id"]),
                data,
            )
        data |= {"reason": row["reason"], "sentence": Reason(row["reason"]).rule.sentence}
        return topology.results_key(Announcement.NEEDS_ATTENTION, row["account"]), str(row["task_id"]), data

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
        data = {name: row[name] for name in ("account", "body_sha256", "body_bytes", "reason", "detail", "times")}
        return topology.results_key(Announcement.EVENT_REJECTED, row["account"]), row["body_sha256"], data

    def close(self, database: Database, row: Mapping[str, Any]) -> None:
        """Close the rejection's announcement."""
        database.run(
            "announced_rejected",
            account=row["account"],
            body_sha256=row["body_sha256"],
            announce_at=row["announce_at"],
        )


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
