"""The transfer into the real object store."""

from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest

from services.downloader.transfer import transfer
from shared.errors import Failure
from shared.objects import Store
from shared.reasons import Reason
from tests.faults.answers import answer, chunked
from tests.faults.server import FaultServer
from tests.integration.downloader.acts import Act, order_of, policy_of

PART = 5 * 2**20
BODY = b"\x00\x00\x00\x20ftypisom" + bytes(range(256)) * (48 * 4096)
KEY = "staging/task/1-lease"


@pytest.fixture
def store(servers: dict[str, Any]) -> Store:
    s3 = servers["s3"]
    return Store.open(s3["endpoint"], s3["region"], s3["access_key"], s3["secret_key"], part_bytes=PART)


@pytest.fixture
def bucket(store: Store) -> str:
    name = f"test-{uuid4().hex}"
    store.ensure_bucket(name)
    return name


def run(server: FaultServer, store: Store, bucket: str, **more: Any) -> Any:
    act = Act(answer(), **more)
    return transfer(
        order_of(act, server),
        store.upload(bucket, KEY),
        policy_of(act, server),
        act.limits,
        progress=lambda count: None,
        stopping=lambda: False,
    )


def test_what_is_staged_has_the_digest_of_the_transfer(store: Store, bucket: str) -> None:
    pieces = [BODY[start : start + 2**20] for start in range(0, len(BODY), 2**20)]
    with FaultServer(chunked(*pieces)) as server:
        received = run(server, store, bucket, declared_sha256=sha256(BODY).hexdigest())
    stored = store.digest(bucket, KEY, received.upload.version_id)
    assert (stored.size, stored.sha256) == (received.size, received.sha256) == (len(BODY), sha256(BODY).hexdigest())


def test_fr19_a_cut_body_leaves_nothing_in_the_store(store: Store, bucket: str) -> None:
    with FaultServer(answer(BODY, length=len(BODY) + 1)) as server, pytest.raises(Failure) as failure:
        run(server, store, bucket)
    assert failure.value.reason is Reason.TRUNCATED
    assert store.stat(bucket, KEY) is None


def test_a_digest_that_differs_from_the_declared_one_leaves_nothing_in_the_store(store: Store, bucket: str) -> None:
    with FaultServer(answer(BODY)) as server, pytest.raises(Failure) as failure:
        run(server, store, bucket, declared_sha256="0" * 64)
    assert failure.value.reason is Reason.DECLARED_MISMATCH
    assert store.stat(bucket, KEY) is None
