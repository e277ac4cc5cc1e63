"""Reading an object by its reference: the proof at the end, and what is said when the bytes are others."""

import hashlib
import io
import shutil
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from outlast import (
    Asset,
    DigestMismatch,
    NotVerified,
    ObjectMissing,
    ObjectTooLarge,
    SizeMismatch,
    Unavailable,
    copy_verified,
    open_verified,
)
from shared.objects import Store
from tests.integration.objects.proxy import Answer, Proxy, Request, says
from tests.integration.objects.servers import S3
from tests.integration.objects.test_upload import some, write

MIB = 2**20
LIMIT = 64 * MIB
BODY = some(3 * MIB + 17)


@pytest.fixture
def ref(store: Store, bucket: str) -> Asset:
    write(store, bucket, "some/key", BODY)
    return Asset(uuid4(), bucket, "some/key", None, len(BODY), hashlib.sha256(BODY).hexdigest())


def flipped(request: Request) -> Answer:
    answer = request.forward()
    changed = bytearray(answer.body)
    changed[len(changed) // 2] ^= 1
    return replace(answer, body=bytes(changed))


def test_bytes_come_in_order_and_are_proven_by_the_read_that_tells_their_end(store: Store, ref: Asset) -> None:
    got = []
    with open_verified(ref, max_bytes=LIMIT, store=store) as reader:
        while piece := reader.read(100_000):
            assert not reader.proven
            got.append(piece)
        assert reader.proven
        assert reader.read(1) == b""
    assert b"".join(got) == BODY
    assert max(map(len, got)) <= 100_000


def test_a_changed_byte_is_told_in_place_of_the_end(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    proxy.fault("GET", "some/key", flipped)
    with open_verified(ref, max_bytes=LIMIT, store=faulty) as reader:
        assert reader.read(5) == BODY[:5]
        with pytest.raises(DigestMismatch, match=r"^digest_mismatch: s3://"):
            shutil.copyfileobj(reader, io.BytesIO())
        assert not reader.proven


def test_nothing_is_returned_of_a_whole_read_that_is_not_proven(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    proxy.fault("GET", "some/key", flipped)
    with open_verified(ref, max_bytes=LIMIT, store=faulty) as reader, pytest.raises(DigestMismatch):
        reader.read()


@pytest.mark.parametrize("difference", [-1, 1, 2 * MIB])
def test_another_size_is_told(store: Store, ref: Asset, difference: int) -> None:
    wrong = replace(ref, size=ref.size + difference)
    with open_verified(wrong, max_bytes=LIMIT, store=store) as reader, pytest.raises(SizeMismatch):
        reader.read()


def test_of_an_object_that_is_too_long_no_more_than_a_piece_is_read(store: Store, ref: Asset) -> None:
    with open_verified(replace(ref, size=10), max_bytes=10, store=store) as reader:
        with pytest.raises(SizeMismatch):
            reader.read()
        assert reader._count <= MIB


def test_more_than_the_limit_is_not_even_asked_for(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    with pytest.raises(ObjectTooLarge, match="object_too_large"):
        open_verified(ref, max_bytes=ref.size - 1, store=faulty).__enter__()
    assert proxy.seen == []


def test_an_object_that_is_not_there_is_told(store: Store, ref: Asset) -> None:
    with pytest.raises(ObjectMissing, match="object_missing"):
        open_verified(replace(ref, key="other"), max_bytes=LIMIT, store=store).__enter__()


def test_the_version_of_the_reference_is_the_one_that_is_asked_for(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    proxy.fault("GET", "some/key", says(404, "NoSuchVersion"))
    with pytest.raises(ObjectMissing):
        open_verified(replace(ref, version_id="v-7"), max_bytes=LIMIT, store=faulty).__enter__()
    assert "versionId=v-7" in proxy.seen[0].target


def test_a_refusal_of_the_store_decides_nothing_about_the_object(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    proxy.fault("GET", "some/key", says(403, "AccessDenied"))
    with pytest.raises(Unavailable) as caught:
        open_verified(ref, max_bytes=LIMIT, store=faulty).__enter__()
    assert caught.value.reason == "storage_denied"


def test_a_connection_that_breaks_in_the_middle_is_no_short_object(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    proxy.fault("GET", "some/key", lambda request: replace(request.forward(), cut_after=MIB))
    with open_verified(ref, max_bytes=LIMIT, store=faulty) as reader, pytest.raises(Unavailable):
        reader.read()


def test_a_copy_is_there_only_when_it_is_proven(faulty: Store, proxy: Proxy, ref: Asset) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"before")
        proxy.fault("GET", "some/key", flipped, times=1)
        with pytest.raises(NotVerified):
            copy_verified(ref, file, max_bytes=LIMIT, store=faulty)
        file.seek(0)
        assert file.read() == b"before"
        copy_verified(ref, file, max_bytes=LIMIT, store=faulty)
        file.seek(0)
        assert file.read() == b"before" + BODY


def test_a_reader_that_stops_early_gets_no_error_and_no_proof(store: Store, ref: Asset) -> None:
    with open_verified(ref, max_bytes=LIMIT, store=store) as reader:
        reader.read(10)
    assert not reader.proven
    with pytest.raises(ValueError, match="closed"):
        reader.read(1)


def test_an_empty_object_is_proven_too(store: Store, bucket: str, ref: Asset) -> None:
    store.put(bucket, "empty", b"", content_type="text/plain")
    empty = replace(ref, key="empty", size=0, sha256=hashlib.sha256(b"").hexdigest())
    with open_verified(empty, max_bytes=0, store=store) as reader:
        assert reader.read() == b""
        assert reader.proven


def test_the_memory_of_a_read_does_not_grow_with_the_object(store: Store, bucket: str, ref: Asset) -> None:
    body = some(48 * MIB)
    write(store, bucket, "large", body)
    large = replace(ref, key="large", size=len(body), sha256=hashlib.sha256(body).hexdigest())
    del body
    with tempfile.TemporaryFile() as file:
        tracemalloc.start()
        try:
            copy_verified(large, file, max_bytes=LIMIT, store=store)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 6 * MIB


def test_the_store_is_by_default_the_one_of_the_environment(
    s3: S3, ref: Asset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from outlast.surroundings import store_of_environment

    secret = tmp_path / "secret"
    secret.write_text(s3.secret_key + "\n")
    monkeypatch.setenv("OUTLAST_S3_ENDPOINT", s3.endpoint)
    monkeypatch.setenv("OUTLAST_S3_ACCESS_KEY", s3.access_key)
    monkeypatch.setenv("OUTLAST_S3_SECRET_KEY_FILE", str(secret))
    store_of_environment.cache_clear()
    with open_verified(ref, max_bytes=LIMIT) as reader:
        assert reader.read() == BODY
    store_of_environment.cache_clear()
