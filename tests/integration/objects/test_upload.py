"""Uploads to a real store."""

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from shared.objects import NotThere, Store, Upload
from tests.integration.broker.polling import eventually
from tests.integration.objects.proxy import Answer, Proxy, Request
from tests.integration.objects.servers import PART


def some(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def write(store: Store, bucket: str, key: str, body: bytes, piece: int = 1_000_000) -> str:
    """Upload in pieces that no part is a multiple of; returns the ETag."""
    with store.upload(bucket, key, content_type="video/mp4", metadata={"name": "hé 1%.mp4"}) as upload:
        for start in range(0, len(body), piece):
            upload.write(body[start : start + piece])
        uploaded = upload.complete()
    assert uploaded.size == len(body)
    return uploaded.etag


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 12345])
def test_an_upload_reads_back_as_it_was_written(store: Store, bucket: str, size: int) -> None:
    body = some(size)
    etag = write(store, bucket, "a/b c/é.mp4", body)
    stored = store.digest(bucket, "a/b c/é.mp4")
    assert (stored.size, stored.sha256) == (size, hashlib.sha256(body).hexdigest())
    head = store.stat(bucket, "a/b c/é.mp4")
    assert head
    assert (head.size, head.content_type, head.metadata["name"]) == (size, "video/mp4", "hé 1%.mp4")
    assert etag == head.etag == stored.etag


def test_pieces_come_in_order_and_never_larger_than_a_mebibyte(store: Store, bucket: str) -> None:
    body = some(PART)
    write(store, bucket, "k", body)
    with store.read(bucket, "k") as pieces:
        got = list(pieces)
    assert b"".join(got) == body
    assert max(map(len, got)) <= 2**20


@pytest.mark.parametrize("size", [0, 17, PART])
def test_a_body_of_one_part_is_a_single_put(faulty: Store, proxy: Proxy, bucket: str, size: int) -> None:
    write(faulty, bucket, "small", some(size))
    assert [request.method for request in proxy.seen] == ["PUT"]


def test_one_byte_more_than_a_part_is_a_multipart_upload(faulty: Store, proxy: Proxy, bucket: str) -> None:
    write(faulty, bucket, "large", some(PART + 1))
    assert sorted(len(r.body) for r in proxy.seen if r.method == "PUT") == [1, PART]
    assert proxy.count("POST", "uploadId=") == 1


def test_bytes_that_changed_on_the_way_are_refused_and_sent_again(faulty: Store, proxy: Proxy, bucket: str) -> None:
    body = some(1000)

    def flip(request: Request) -> Answer:
        spoiled = bytes([body[0] ^ 1]) + body[1:]
        return proxy.forward(request.method, request.target, request.headers, spoiled)

    proxy.fault("PUT", "/k", flip, times=1)
    write(faulty, bucket, "k", body)
    assert proxy.count("PUT", "/k") == 2
    assert faulty.digest(bucket, "k").sha256 == hashlib.sha256(body).hexdigest()


def test_an_aborted_upload_leaves_nothing(faulty: Store, proxy: Proxy, bucket: str) -> None:
    upload = faulty.upload(bucket, "gone")
    upload.write(some(2 * PART + 1))
    upload.abort()
    upload.abort()
    assert faulty.stat(bucket, "gone") is None
    assert proxy.count("DELETE", "uploadId=") >= 1
    with pytest.raises(NotThere), faulty.read(bucket, "gone"):
        pass


def leave(upload: Upload) -> None:
    with upload:
        upload.write(some(PART + 1))
        raise ZeroDivisionError


def test_leaving_an_upload_by_an_error_aborts_it(faulty: Store, proxy: Proxy, bucket: str) -> None:
    with pytest.raises(ZeroDivisionError):
        leave(faulty.upload(bucket, "gone"))
    assert proxy.count("DELETE", "uploadId=") == 1
    assert faulty.stat(bucket, "gone") is None


def test_an_upload_that_sent_nothing_aborts_without_a_request(faulty: Store, proxy: Proxy, bucket: str) -> None:
    upload = faulty.upload(bucket, "nothing")
    upload.write(b"abc")
    upload.abort()
    assert proxy.seen == []


def test_completing_twice_gives_the_same_and_abort_does_nothing_after_it(store: Store, bucket: str) -> None:
    upload = store.upload(bucket, "k")
    upload.write(some(PART + 1))
    assert upload.complete() == upload.complete()
    upload.abort()
    assert store.stat(bucket, "k")


def test_the_id_is_known_once_the_first_part_is_on_its_way(store: Store, bucket: str) -> None:
    with store.upload(bucket, "k") as upload:
        upload.write(some(PART))
        assert upload.upload_id is None
        upload.write(b"x")
        eventually(lambda: upload.upload_id is not None)


def test_three_parts_are_on_their_way_and_then_the_writer_waits(faulty: Store, proxy: Proxy, bucket: str) -> None:
    go, piece, written = Event(), some(2**20), []

    def hold(request: Request) -> Answer:
        assert go.wait(60)
        return request.forward()

    proxy.fault("PUT", "partNumber=", hold)
    upload = faulty.upload(bucket, "k")

    def fill() -> int:
        for _ in range(5 * PART // 2**20):
            upload.write(piece)
            written.append(len(piece))
        return upload.complete().size

    with ThreadPoolExecutor(1) as pool:
        filling = pool.submit(fill)
        eventually(lambda: sum(written) == 3 * PART)
        eventually(lambda: all(proxy.count("PUT", f"partNumber={n}&") == 1 for n in (1, 2, 3)))
        assert not filling.done()
        assert (sum(written), proxy.count("PUT", "partNumber=")) == (3 * PART, 3)
        go.set()
        assert filling.result(60) == 5 * PART
    assert sum(written) == 5 * PART


def test_parts_that_arrive_out_of_order_make_the_object_in_order(faulty: Store, proxy: Proxy, bucket: str) -> None:
    body, second = some(3 * PART), Event()

    def hold(request: Request) -> Answer:
        assert second.wait(60)
        return request.forward()

    def release(request: Request) -> Answer:
        answer = request.forward()
        second.set()
        return answer

    proxy.fault("PUT", "partNumber=1&", hold)
    proxy.fault("PUT", "partNumber=2&", release)
    write(faulty, bucket, "k", body)
    assert faulty.digest(bucket, "k").sha256 == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(("size", "has_md5"), [(PART, True), (PART + 1, False)])
def test_a_small_object_is_signed_with_its_md5_and_a_part_is_not_hashed_again(
    faulty: Store, proxy: Proxy, bucket: str, size: int, has_md5: bool
) -> None:
    write(faulty, bucket, "k", some(size))
    for put in [{name.lower(): value for name, value in r.headers.items()} for r in proxy.seen if r.method == "PUT"]:
        assert put["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD"
        assert ("content-md5" in put["authorization"].partition("SignedHeaders=")[2]) is has_md5


def test_many_threads_share_a_store(store: Store, bucket: str) -> None:
    def round_trip(number: int) -> bool:
        body = some(PART // 2 * number + 1)
        write(store, bucket, f"k{number}", body)
        return store.digest(bucket, f"k{number}").sha256 == hashlib.sha256(body).hexdigest()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(round_trip, range(8)))


def test_deleting_is_the_same_twice(store: Store, bucket: str) -> None:
    store.put(bucket, "k", b"abc", content_type="text/plain", metadata={})
    store.delete(bucket, "k")
    store.delete(bucket, "k")
    assert store.stat(bucket, "k") is None


def test_a_bucket_that_is_there_is_left_as_it_is(store: Store, bucket: str) -> None:
    store.put(bucket, "k", b"abc", content_type="text/plain", metadata={})
    store.ensure_bucket(bucket)
    store.check(bucket)
    assert store.digest(bucket, "k").size == 3
