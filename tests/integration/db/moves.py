"""A task's way through the acts, step by step, as the services would take it."""

from dataclasses import replace
from typing import Any

from shared.db import Database
from shared.states import Stage, State
from shared.tasks.claims import Claim, Claims

SHA = "a" * 64


def claims(database: Database, stage: Stage, *, lease_seconds: float = 30.0, worker: str = "w") -> Claims:
    return Claims(database, stage, worker, lease_seconds)


def taken(database: Database, stage: Stage, **options: Any) -> Claim:
    claim = claims(database, stage, **options).take()
    assert claim is not None, f"nothing to claim for {stage}"
    return claim


def stage_bytes(database: Database, claim: Claim, *, sha256: str = SHA) -> bool:
    return bool(
        database.run(
            "staged",
            **claim.token,
            bucket="staging",
            key=f"staging/{claim.task_id}/{claim.epoch}",
            version_id=None,
            etag=None,
            size=10,
            sha256=sha256,
            declared_type=None,
            evidence={},
        )
    )


def prove(database: Database, claim: Claim) -> bool:
    return bool(
        database.run(
            "proven",
            **claim.token,
            sha256=claim.h1,
            kind="image",
            facts={"kind": "image", "content_type": "image/png", "extension": "png"},
            verifier_version="1",
            flags=[],
            evidence={},
        )
    )


def store(database: Database, claim: Claim, **changes: Any) -> bool:
    values = {
        "uri": f"s3://assets/{claim.task_id}",
        "size": claim.staged_size,
        "sha256": claim.h2,
        "version_id": None,
        "etag": None,
    }
    return bool(database.run("stored", **claim.token, **{**values, **changes}))


def complete(as_role: Any, accept: Any) -> Any:
    """Bring one new task all the way; returns its id."""
    task_id = accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    prove(as_role("verifier"), taken(as_role("verifier"), Stage.VERIFY))
    claim = taken(as_role("promoter"), Stage.PROMOTE)
    assert store(as_role("promoter"), claim)
    assert as_role("promoter").run("complete", **replace(claim, state=State.STORED).token, evidence={})
    return task_id
