"""Copies inside a real store."""

import hashlib
import re
from urllib.parse import unquote

import pytest
from minio import Minio

from shared.errors import Failure
from shared.objects import NotThere, Store
from shared.reasons import Reason
from tests.integration.objects.proxy import Answer, Fault, Proxy, Request, lose_answer, says
from tests.integration.objects.servers import PART, S3
from tests.integration.objects.test_upload import some, write


def copy(store: Store, bucket: str) -> str | None:
    source = (bucket, "from/é a.mp4", None)
    return store.copy(source, bucket, "to/b.webm", content_type="video/webm", metadata={"kind": "vidéo"})


def check(store: Store, bucket: str, body: bytes) -> None:
    stored, head = store.digest(bucket, "to/b.webm"), store.stat(bucket, "to/b.webm")
    assert (stored.size, stored.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert head
    assert (head.content_type, head.metadata["kind"]) == ("video/webm", "vidéo")


@pytest.fixture
def parts(s3: S3, proxy: Proxy) -> Store:
    """A store that copies more than one part of bytes in parts, behind a proxy that copies parts for rclone.

    rclone takes a copy of a part for an empty part; the proxy reads the range and sends it as a part instead.
    """
    client = Minio(s3.endpoint.removeprefix("http://"), s3.access_key, s3.secret_key, secure=False, region=s3.region)

    def copy_part(request: Request) -> Answer:
        headers = {name.lower(): value for name, value in request.headers.items()}
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", headers["x-amz-copy-source-range"])
        assert span
        start, end = map(int, span.groups())
        source_bucket, source = unquote(headers["x-amz-copy-source"]).removeprefix("/").split("/", 1)
        answer = client.get_object(source_bucket, source, start, end - start + 1)
        body = answer.read()
        answer.close()
        target = re.fullmatch(r"/([^/]+)/(.+)\?partNumber=(\d+)&uploadId=(.+)", request.target)
        assert target
        bucket, key, number, upload_id = target.groups()
        etag = client._upload_part(bucket, unquote(key), body, {}, upload_id, int(number))
        return Answer(200, f'<CopyPartResult><ETag>"{etag}"</ETag></CopyPartResult>'.encode())

    proxy.fault("PUT", "/to/b.webm?partNumber=", copy_part)
    return s3.by_way_of(proxy.endpoint).open(copy_limit=PART)


@pytest.mark.parametrize("size", [0, 1, 100_000, PART + 1])
def test_a_copy_has_the_bytes_and_the_new_metadata(store: Store, bucket: str, size: int) -> None:
    write(store, bucket, "from/é a.mp4", some(size))
    copy(store, bucket)
    check(store, bucket, some(size))


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, 0), (PART, 0), (PART + 1, 2), (3 * PART, 3)])
def test_fr63_more_than_the_limit_is_copied_in_parts(
    store: Store, parts: Store, proxy: Proxy, bucket: str, size: int, expected: int
) -> None:
    write(store, bucket, "from/é a.mp4", some(size))
    copy(parts, bucket)
    check(store, bucket, some(size))
    assert proxy.count("PUT", "partNumber=") == expected
    assert proxy.count("POST", "uploadId=") == bool(expected)


def test_fr63_a_store_that_copies_no_parts_copies_at_once(s3: S3, store: Store, proxy: Proxy, bucket: str) -> None:
    small = s3.by_way_of(proxy.endpoint).open(copy_limit=PART)
    # What rclone 1.75 answers to a copy of a part; a real S3 has no need of the way around.
    proxy.fault("PUT", "partNumber=", lambda _: Answer(200, b""))
    write(store, bucket, "from/é a.mp4", some(2 * PART))
    copy(small, bucket)
    check(store, bucket, some(2 * PART))
    assert proxy.count("DELETE", "uploadId=") == 1


def test_case_70_a_part_whose_copy_fails_inside_a_200_once_is_copied_again(
    store: Store, parts: Store, proxy: Proxy, bucket: str
) -> None:
    write(store, bucket, "from/é a.mp4", some(PART + 1))
    proxy.fault("PUT", "/to/b.webm?partNumber=2&", says(200, "SlowDown"), times=1)
    copy(parts, bucket)
    check(store, bucket, some(PART + 1))
    assert proxy.count("PUT", "partNumber=2&") == 2


def test_fr63_no_parts_stay_behind_when_a_part_cannot_be_copied(
    store: Store, parts: Store, proxy: Proxy, bucket: str
) -> None:
    write(store, bucket, "from/é a.mp4", some(3 * PART))
    proxy.fault("PUT", "partNumber=2&", says(403, "AccessDenied"))
    with pytest.raises(Failure) as caught:
        copy(parts, bucket)
    assert caught.value.reason is Reason.STORAGE_DENIED
    assert proxy.count("DELETE", "uploadId=") == 1
    assert store.stat(bucket, "to/b.webm") is None


def test_a_source_that_is_not_there_is_told_from_all_other_trouble(store: Store, bucket: str) -> None:
    with pytest.raises(NotThere):
        copy(store, bucket)
    with pytest.raises(NotThere):
        store.copy((bucket, "none", None), bucket, "l", content_type="a/b", metadata={}, size=3)
    with pytest.raises(Failure) as caught:
        store.copy(("there-is-no-such-bucket", "none", None), bucket, "l", content_type="a/b", metadata={}, size=3)
    assert caught.value.evidence["code"] == "NoSuchBucket"


@pytest.mark.parametrize(
    "fault",
    [says(200, "InternalError"), says(503, "SlowDown"), lambda _: Answer(200, b""), lambda _: Answer(200, b"<html>")],
)
def test_case_70_an_error_of_a_copy_is_an_error_even_inside_a_200(
    faulty: Store, proxy: Proxy, bucket: str, fault: Fault
) -> None:
    write(faulty, bucket, "from/é a.mp4", some(10))
    proxy.fault("PUT", "/to/b.webm", fault)
    with pytest.raises(Failure) as caught:
        copy(faulty, bucket)
    assert caught.value.reason is Reason.STORAGE_UNAVAILABLE
    assert faulty.stat(bucket, "to/b.webm") is None


def test_case_70_an_error_inside_a_200_of_a_copy_in_parts_is_an_error(
    store: Store, parts: Store, proxy: Proxy, bucket: str
) -> None:
    write(store, bucket, "from/é a.mp4", some(2 * PART))
    proxy.fault("POST", "uploadId=", says(200, "InternalError"))
    with pytest.raises(Failure) as caught:
        copy(parts, bucket)
    assert caught.value.reason is Reason.STORAGE_UNAVAILABLE
    assert proxy.count("DELETE", "uploadId=") == 1


def test_a_lost_answer_to_a_copy_is_told_to_the_caller_who_looks(faulty: Store, proxy: Proxy, bucket: str) -> None:
    write(faulty, bucket, "from/é a.mp4", some(10))
    proxy.fault("PUT", "/to/b.webm", lose_answer)
    with pytest.raises(Failure) as caught:
        copy(faulty, bucket)
    assert caught.value.reason is Reason.STORAGE_UNAVAILABLE
    check(faulty, bucket, some(10))
