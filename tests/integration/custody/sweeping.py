"""A sweep over a test's own buckets and database, and claims that end in each way."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from outlast.custody.sweep import Fate, Found, Ground, Step, present, sweep
from shared.db import Database
from shared.keys import staging_key
from shared.objects import Store
from shared.states import Stage, State
from shared.tasks.claims import Claim
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import taken

BODY = b"\x89PNG and so on"
SHA = "a" * 64
LATER = timedelta(days=2)
GRACE = timedelta(days=1)


@dataclass(frozen=True)
class Sweeping:
    """Brings tasks to where a sweep meets them, and sweeps."""

    as_role: As
    accept: Accept
    store: Store
    staging: str
    assets: str

    @property
    def database(self) -> Database:
        return self.as_role("sweeper")

    def ground(self, *, later: timedelta = LATER, now: datetime | None = None, **rule: bool) -> Ground:
        instant = (now or present(self.database)) + later
        return Ground(self.database, self.store, self.staging, self.assets, instant, GRACE, **rule)

    def sweep(self, **options: object) -> list[Found]:
        """What a sweep two days later tells, without what it keeps."""
        return [found for found in sweep(self.ground(**options)) if found.fate is not Fate.KEPT]  # type: ignore[arg-type]

    def claimed(self, **event: object) -> tuple[Claim, str]:
        """A task that a downloader holds, whose object is in the store already."""
        self.accept(**event)
        return self.again()

    def again(self) -> tuple[Claim, str]:
        """The same for the next download of whatever task is due."""
        claim = taken(self.as_role("downloader"), Stage.DOWNLOAD)
        return claim, self.put(staging_key(claim.task_id, claim.epoch, claim.lease_id))

    def put(self, key: str, bucket: str | None = None) -> str:
        self.store.put(bucket or self.staging, key, BODY, content_type="application/octet-stream")
        return key

    def retried(self, claim: Claim) -> None:
        """The transfer failed."""
        values = {"reason": "stalled", "delay_seconds": 0.0, "sources_added": 0, "tries": 1, "evidence": {}}
        assert self.as_role("downloader").run("retry", **claim.token, **values)

    def staged(self, claim: Claim, key: str) -> Claim:
        """The bytes go to the verifier, which holds them."""
        told = {"size": len(BODY), "sha256": SHA, "declared_type": None, "evidence": {}}
        place = {"bucket": self.staging, "key": key, "version_id": None, "etag": None}
        assert self.as_role("downloader").run("staged", **claim.token, **place, **told)
        return taken(self.as_role("verifier"), Stage.VERIFY)

    def proven(self, claim: Claim) -> Claim:
        facts = {"kind": "image", "content_type": "image/png", "extension": "png"}
        values = {"kind": "image", "facts": facts, "verifier_version": "policy 1", "flags": [], "evidence": {}}
        assert self.as_role("verifier").run("proven", **claim.token, sha256=SHA, **values)
        return taken(self.as_role("promoter"), Stage.PROMOTE)

    def completed(self, claim: Claim) -> str:
        """The task is complete; returns the key of its asset."""
        promoter, key = self.as_role("promoter"), f"image/studio/op/1/{claim.task_id}.png"
        facts = {"kind": "image", "content_type": "image/png", "facts": claim.facts}
        place = {"bucket": self.assets, "key": key, "size": len(BODY), "sha256": SHA}
        assert promoter.run("placing", **claim.token, **place, **facts)
        self.put(key, self.assets)
        stored = {"uri": f"s3://{self.assets}/{key}", "version_id": None, "etag": None}
        assert promoter.run("stored", **claim.token, **stored, size=len(BODY), sha256=SHA)
        assert promoter.run("complete", **replace(claim, state=State.STORED).token, evidence={})
        return key

    def held(self) -> set[str]:
        return {listed.key for listed in self.store.listed(self.staging)}


@pytest.fixture
def sweeping(as_role: As, accept: Accept, store: Store, bucket: str) -> Sweeping:
    assets = f"{bucket}-assets"
    store.ensure_bucket(assets)
    return Sweeping(as_role, accept, store, bucket, assets)


def told(found: list[Found], step: Step = Step.STAGING) -> Counter[tuple[str, str]]:
    """Fates and reasons of a step, counted."""
    return Counter((str(one.fate), one.why) for one in found if one.step is step)


def unknown_key(task_id: UUID, epoch: int = 1) -> str:
    """The key of a claim that the database does not have."""
    return staging_key(task_id, epoch, UUID(int=7))
