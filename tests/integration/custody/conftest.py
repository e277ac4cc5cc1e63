"""Refused bytes and stored assets in a real store and a real database, and the command over both."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from outlast.cli.app import app
from shared.objects import Store
from shared.states import Stage, State
from shared.tasks.claims import Claim
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As, accept, as_role
from tests.integration.db.moves import taken
from tests.integration.objects.conftest import bucket, faulty, proxy, s3, store
from tests.integration.objects.servers import S3

__all__ = ["accept", "as_role", "bucket", "faulty", "proxy", "s3", "store"]

DAYS = 86400.0


@dataclass(frozen=True)
class Command:
    """Runs the command in this process, as a person with the rights of reader and operator."""

    variables: dict[str, str]

    def run(self, *words: object, **options: Any) -> Result:
        return CliRunner(env=self.variables).invoke(
            app, [str(word) for word in words], catch_exceptions=False, **options
        )

    def text(self, *words: object, code: int = 0, **options: Any) -> str:
        done = self.run(*words, **options)
        assert done.exit_code == code, done.output
        return done.output

    def lines(self, *words: object, code: int = 0) -> list[dict[str, Any]]:
        """Every line of the JSON that it printed."""
        done = self.run(*words, "--json")
        assert done.exit_code == code, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def command(database: TestDatabase, s3: S3, tmp_path: Path) -> Command:
    (tmp_path / "secret").write_text(s3.secret_key)
    return Command(
        {
            "OUTLAST_DATABASE_URL": database.url("outlast_reader"),
            "OUTLAST_OPERATOR_DATABASE_URL": database.url("outlast_operator"),
            "OUTLAST_S3_ENDPOINT": s3.endpoint,
            "OUTLAST_S3_REGION": s3.region,
            "OUTLAST_S3_ACCESS_KEY": s3.access_key,
            "OUTLAST_S3_SECRET_KEY_FILE": str(tmp_path / "secret"),
            "COLUMNS": "200",
        }
    )


@dataclass(frozen=True)
class Verify:
    """A task whose bytes are staged and claimed by the verifier."""

    claim: Claim
    key: str


Staged = Callable[..., Verify]
Refuse = Callable[..., Verify]


@pytest.fixture
def staged(as_role: As, accept: Accept, store: Store, bucket: str) -> Staged:
    """`staged(body, task_id=...)` brings bytes to the verifier, of a new task or of one that is downloaded again."""

    def run(body: bytes, *, task_id: UUID | None = None, **event: Any) -> Verify:
        if task_id is None:
            accept(**event)
        claim = taken(as_role("downloader"), Stage.DOWNLOAD)
        key = f"staging/{claim.task_id}/{claim.epoch}"
        store.put(bucket, key, body, content_type="application/octet-stream")
        values: dict[str, Any] = {"bucket": bucket, "key": key, "version_id": None, "etag": None, "evidence": {}}
        told = {"size": len(body), "sha256": hashlib.sha256(body).hexdigest(), "declared_type": None}
        assert as_role("downloader").run("staged", **claim.token, **values, **told)
        return Verify(taken(as_role("verifier"), Stage.VERIFY), key)

    return run


@pytest.fixture
def refused(as_role: As, staged: Staged) -> Refuse:
    """`refused(body, act="refused", reason="not_media")` also has the verifier refuse them."""

    def run(body: bytes, *, act: str = "refused", reason: str = "not_media", **options: Any) -> Verify:
        verify = staged(body, **options)
        refuse(as_role, verify.claim, act=act, reason=reason)
        return verify

    return run


def refuse(as_role: As, claim: Claim, *, act: str = "refused", reason: str = "not_media") -> None:
    values = {"reason": reason, "evidence": {"detail": "seen"}, "keep_seconds": 30 * DAYS}
    assert as_role("verifier").run(act, **claim.token, **values)


def complete(as_role: As, verify: Verify, bucket: str, *, kind: str, verifier_version: str) -> UUID:
    """Bring bytes that the verifier holds to a stored asset: the staged object itself."""
    claim, facts = verify.claim, {"kind": kind, "content_type": "image/png", "extension": "png"}
    proven: dict[str, Any] = {
        "sha256": claim.h1,
        "kind": kind,
        "facts": facts,
        "verifier_version": verifier_version,
        "flags": [],
    }
    assert as_role("verifier").run("proven", **claim.token, **proven, evidence={})
    claim = taken(as_role("promoter"), Stage.PROMOTE)
    placing = {"bucket": bucket, "key": verify.key, "size": claim.staged_size, "sha256": claim.h2}
    assert as_role("promoter").run(
        "placing", **claim.token, **placing, kind=kind, content_type="image/png", facts=facts
    )
    stored = {"uri": f"s3://{bucket}/{verify.key}", "version_id": None, "etag": None}
    assert as_role("promoter").run("stored", **claim.token, size=claim.staged_size, sha256=claim.h2, **stored)
    assert as_role("promoter").run("complete", **replace(claim, state=State.STORED).token, evidence={})
    return claim.task_id
