"""Proven files in a real store, a real clamd, and a review hook by script."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from services.verifier.facts import Facts
from services.verifier.hooks import Subject
from shared.messages import Kind
from shared.objects import Store
from tests.conftest import TestDatabase
from tests.faults.ears import nothing_is_logged
from tests.faults.scanner import OwnScanner
from tests.integration.db.conftest import Accept, As, accept, as_role
from tests.integration.hooks.verifying import Verifying
from tests.integration.objects.conftest import bucket, s3, store
from tests.integration.objects.test_upload import write
from tests.integration.verifier.conftest import RunningProbe, probe

__all__ = ["accept", "as_role", "bucket", "nothing_is_logged", "probe", "s3", "store"]

FACTS = Facts(kind=Kind.IMAGE, content_type="image/png", extension="png", container="png", width=3, height=2)


@pytest.fixture(scope="session")
def scanner() -> Iterator[OwnScanner]:
    """A scanner that all tests share and none disturbs."""
    with OwnScanner("StreamMaxLength 2M", "MaxFileSize 1M", "AlertExceedsMax yes") as running:
        yield running


def subject_of(path: Path, data: bytes, bucket: str = "staging", key: str = "k", **claim: Any) -> Subject:
    """A file of these bytes, proven to be an image."""
    path.write_bytes(data)
    told = {"task_id": uuid4(), "epoch": 1, "account": "studio", "staged_bucket": bucket, "staged_key": key}
    told |= {"staged_version": None, "staged_size": len(data), **claim}
    return Subject(SimpleNamespace(**told), path, sha256(data).hexdigest(), FACTS)  # type: ignore[arg-type]


@pytest.fixture
def staged(tmp_path: Path, store: Store, bucket: str) -> Subject:
    """One whose bytes are in the store."""
    write(store, bucket, "staging/task/1-lease", b"the staged bytes")
    return subject_of(tmp_path / "copy", b"the staged bytes", bucket, "staging/task/1-lease")


@pytest.fixture
def verifying(
    as_role: As, accept: Accept, store: Store, bucket: str, probe: RunningProbe, database: TestDatabase
) -> Verifying:
    """The verify stage, for one claim at a time."""
    return Verifying(as_role, accept, store, bucket, probe.prober, probe.folder, database)
