"""The transfer into the real object store."""

from base64 import b64encode
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest

from services.downloader.transfer import transfer
from shared.errors import Failure
from shared.objects import Store
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, closing, in_turn
from tests.faults.server import FaultServer
from tests.integration.downloader.acts import Act, order_of, policy_of
from tests.integration.downloader.parts import TAG, broken, honest, part
from tests.media.moving import video

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
        seconds_to_stop=lambda: None,
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


@pytest.mark.parametrize("kept", [100, 7 * 2**20])
def test_case_48_a_resumed_body_is_one_object_with_one_digest(store: Store, bucket: str, kept: int) -> None:
    scripts = broken(TAG, body=BODY, kept=kept), part(kept, stop=9 * 2**20, body=BODY), honest(body=BODY)
    with FaultServer(in_turn(*scripts)) as server:
        received = run(server, store, bucket)
    stored = store.digest(bucket, KEY, received.upload.version_id)
    assert (stored.size, stored.sha256) == (received.size, received.sha256) == (len(BODY), sha256(BODY).hexdigest())
    assert received.evidence["resumes"] == 2


@pytest.mark.parametrize("kept", [100, 7 * 2**20])
def test_fr26_and_case_50_a_rest_of_another_version_leaves_nothing_in_the_store(
    store: Store, bucket: str, kept: int
) -> None:
    with FaultServer(in_turn(broken(TAG, body=BODY, kept=kept), answer(BODY, 'ETag: "v2"'))) as server:
        with pytest.raises(Failure) as failure:
            run(server, store, bucket)
        assert (failure.value.reason, failure.value.evidence["resume_refused"]) == (Reason.TRUNCATED, "status 200")
        assert store.stat(bucket, KEY) is None
        received = run(server, store, bucket)
    assert store.digest(bucket, KEY, received.upload.version_id).sha256 == sha256(BODY).hexdigest()


def test_fr49_a_data_uri_becomes_an_object(store: Store, bucket: str) -> None:
    url = "data:video/mp4;base64," + b64encode(BODY).decode()
    with FaultServer(answer()) as server:
        received = run(server, store, bucket, url=url)
    assert store.digest(bucket, KEY, received.upload.version_id).sha256 == sha256(BODY).hexdigest()


def test_case_46_a_video_that_ends_by_close_is_stored_with_its_proof(store: Store, bucket: str) -> None:
    body = video()
    for sent, proof in ((body, "container"), (body[:-100], None)):
        with FaultServer(closing(sent)) as server:
            received = run(server, store, bucket)
        assert received.proven_by == proof
        assert store.digest(bucket, KEY, received.upload.version_id).sha256 == sha256(sent).hexdigest()
