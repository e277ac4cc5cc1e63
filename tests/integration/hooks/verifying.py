"""The verify stage on a real row, a real staged object and a real probe, one claim at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import psycopg

from services.verifier.endings import Endings
from services.verifier.handler import Verifier
from services.verifier.hooks import Hook, Opinion, Subject
from services.verifier.room import Room
from shared.errors import Failure
from shared.leases import Lease
from shared.objects import Store
from shared.states import Stage
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import taken
from tests.integration.db.test_leases import read
from tests.integration.objects.test_upload import write


@dataclass
class Says:
    """A hook that always says the same."""

    opinion: Opinion | Failure
    name: str = "review"

    def check(self) -> None:
        """Well."""

    def judge(self, subject: Subject) -> Opinion:
        if isinstance(self.opinion, Failure):
            raise self.opinion
        return self.opinion


@dataclass
class Verifying:
    """The verify stage with what it needs; `woken` holds the tasks of which the promoter was told."""

    as_role: As
    accept: Accept
    store: Store
    bucket: str
    prober: Any
    folder: Path
    database: Any
    woken: list[UUID] = field(default_factory=list)

    def stage(self, data: bytes, *, now: bytes | None = None, **values: Any) -> UUID:
        """A task whose download ended with `data`; `now` is what lies in the store since."""
        task_id = self.accept(**values)
        self.stage_again(data, now=now)
        return task_id

    def stage_again(self, data: bytes, *, now: bytes | None = None) -> None:
        """The next download of a waiting task ends with `data`."""
        claim = taken(self.as_role("downloader"), Stage.DOWNLOAD)
        key = f"staging/{claim.task_id}/{claim.epoch}-{claim.lease_id}"
        write(self.store, self.bucket, key, data)
        if now is not None:
            write(self.store, self.bucket, key, now)
        values: dict[str, Any] = {"bucket": self.bucket, "key": key, "size": len(data), "evidence": {}}
        values |= dict.fromkeys(("version_id", "etag", "declared_type"))
        values["sha256"] = sha256(data).hexdigest()
        assert self.as_role("downloader").run("staged", **claim.token, **values)

    def verify(self, *hooks: Hook) -> Claim:
        """Run one claim. Raises what the handler raises."""
        claim = taken(self.as_role("verifier"), Stage.VERIFY)
        recorder = Recorder(self.as_role("verifier"), Event())
        endings = Endings(recorder, 3600.0, lambda claim, reference: self.woken.append(claim.task_id))
        handle = Verifier(self.store, self.prober, self.folder, Room(2**30), endings, hooks)
        handle(Lease(claim, lambda: None, lambda away: None))
        return claim

    def stands(self) -> tuple[str, str | None]:
        """State and reason of the one task."""
        ((state, reason),) = self.rows("SELECT state, reason FROM tasks")
        return state, reason

    def rows(self, statement: str) -> Sequence[tuple[Any, ...]]:
        """Read as the superuser."""
        return read(self.database, statement)

    def write(self, role: str, statement: str) -> None:
        """Change a row as a role."""
        with psycopg.connect(self.database.url(role), autocommit=True) as connection:
            connection.execute(statement.encode())
