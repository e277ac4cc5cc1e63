"""Uploads and reads while the store misbehaves."""

import hashlib
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from minio import Minio
from minio.error import InvalidResponseError

from shared.errors import Failure
from shared.objects import NotThere, Store, pool
from shared.reasons import Reason
from tests.integration.broker.polling import eventually
from tests.integration.objects.proxy import Answer, Fault, Proxy, Request, lose_answer, lose_request, says
from tests.integration.objects.servers import PART, S3, OwnS3
from tests.integration.objects.test_upload import some, write

SECRET = "canary-secret-key"
ACCESS = "canary-access-key"


def reason_of(act: Callable[[], object]) -> Reason:
    with pytest.raises(Failure) as caught:
        act()
    return caught.value.reason


def read_all(store: Store, bucket: str, key: str) -> bytes:
    with store.read(bucket, key) as pieces:
        return b"".join(pieces)


@pytest.mark.parametrize(
    "fault", [says(503, "SlowDown"), says(500, "InternalError"), says(429), lose_request, lose_answer]
)
def test_case_68_a_part_that_fails_three_times_is_sent_a_fourth(
    faulty: Store, proxy: Proxy, bucket: str, fault: Fault
) -> None:
    body = some(2 * PART + 1)
    proxy.fault("PUT", "partNumber=2&", fault, times=3)
    write(faulty, bucket, "k", body)
    assert [proxy.count("PUT", f"partNumber={n}&") for n in (1, 2, 3)] == [1, 4, 1]
    assert faulty.digest(bucket, "k").sha256 == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(("status", "code"), [(503, "SlowDown"), (500, "InternalError")])
def test_case_68_a_part_refused_for_ever_ends_the_upload_within_seconds_and_leaves_nothing(
    s3: S3, faulty: Store, proxy: Proxy, bucket: str, status: int, code: str
) -> None:
    proxy.fault("PUT", "partNumber=2&", says(status, code))
    upload = faulty.upload(bucket, "k")
    upload.write(some(2 * PART + 1))
    with ThreadPoolExecutor(1) as executor, pytest.raises(Failure) as caught:
        executor.submit(upload.complete).result(20)
    upload.abort()
    assert caught.value.reason is Reason.STORAGE_UNAVAILABLE
    assert caught.value.evidence == {"bucket": bucket, "object": "k", "status": status, "code": code}
    assert proxy.count("PUT", "partNumber=2&") == 4
    assert proxy.count("DELETE", "uploadId=") == 1
    assert faulty.stat(bucket, "k") is None
    client = Minio(s3.endpoint.removeprefix("http://"), s3.access_key, s3.secret_key, secure=False, region=s3.region)
    with pytest.raises(InvalidResponseError, match="NoSuchUpload"):
        client._list_parts(bucket, "k", str(upload.upload_id))


@pytest.mark.parametrize(
    ("method", "part", "aborts"), [("POST", "uploads", 0), ("PUT", "partNumber=", 1), ("POST", "uploadId=", 1)]
)
@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (503, "SlowDown", Reason.STORAGE_UNAVAILABLE),
        (507, "XMinioStorageFull", Reason.STORAGE_FULL),
        (403, "AccessDenied", Reason.STORAGE_DENIED),
        (404, "NoSuchBucket", Reason.STORAGE_DENIED),
        (403, "RequestTimeTooSkewed", Reason.STORAGE_DENIED),
    ],
)
def test_fr68_trouble_of_the_store_in_any_step_of_an_upload_is_ours(
    faulty: Store,
    proxy: Proxy,
    bucket: str,
    method: str,
    part: str,
    aborts: int,
    status: int,
    code: str,
    reason: Reason,
) -> None:
    proxy.fault(method, part, says(status, code))
    found = reason_of(lambda: write(faulty, bucket, "k", some(PART + 1)))
    assert (found, found.is_ours) == (reason, True)
    assert proxy.count("DELETE", "uploadId=") == aborts
    assert faulty.stat(bucket, "k") is None


def test_a_failed_part_shows_at_the_next_write(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "partNumber=", says(403, "AccessDenied"))
    upload = faulty.upload(bucket, "k")
    upload.write(some(PART + 1))

    def refused() -> bool:
        try:
            upload.write(b"x")
        except Failure as failure:
            return failure.reason is Reason.STORAGE_DENIED
        return False

    eventually(refused)
    assert reason_of(upload.complete) is Reason.STORAGE_DENIED
    upload.abort()


def test_fr68_a_store_killed_in_mid_upload_is_our_own_fault(own_s3: OwnS3) -> None:
    store = own_s3.s3.open()
    store.ensure_bucket("mine")
    upload = store.upload("mine", "k")
    upload.write(some(PART + 1))
    eventually(lambda: upload.upload_id is not None)
    own_s3.kill()
    assert reason_of(lambda: upload.write(some(3 * PART))) is Reason.STORAGE_UNAVAILABLE
    upload.abort()
    assert reason_of(lambda: store.check("mine")) is Reason.STORAGE_UNAVAILABLE


def test_an_abort_ends_a_retry_at_once(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "partNumber=", says(503, "SlowDown"))
    upload = faulty.upload(bucket, "k")
    upload.write(some(PART + 1))
    eventually(lambda: proxy.count("PUT", "partNumber=") >= 1)
    upload.abort()
    tries = proxy.count("PUT", "partNumber=")
    assert tries < 4
    assert proxy.count("DELETE", "uploadId=") == 1


def test_a_lost_answer_to_the_completion_is_looked_up(faulty: Store, proxy: Proxy, bucket: str) -> None:
    body = some(PART + 1)
    proxy.fault("POST", "uploadId=", lose_answer)
    etag = write(faulty, bucket, "k", body)
    assert proxy.count("POST", "uploadId=") == 1
    stored = faulty.digest(bucket, "k")
    assert (stored.sha256, stored.etag) == (hashlib.sha256(body).hexdigest(), etag)


def test_a_lost_answer_to_a_put_is_looked_up(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "/k", lose_answer)
    write(faulty, bucket, "k", some(10))
    assert proxy.count("PUT", "/k") == 1


@pytest.mark.parametrize("size", [10, PART + 1])
def test_an_older_object_is_not_taken_for_the_one_whose_answer_is_lost(
    faulty: Store, proxy: Proxy, bucket: str, size: int
) -> None:
    write(faulty, bucket, "k", bytes(size))
    proxy.fault("POST", "uploadId=", lose_request)
    proxy.fault("PUT", "/k", lose_request)
    proxy.fault("PUT", "/k?", lambda request: request.forward())
    assert reason_of(lambda: write(faulty, bucket, "k", some(size))) is Reason.STORAGE_UNAVAILABLE


@pytest.mark.parametrize(
    "body",
    [
        b"<Error><Code>InternalError</Code></Error>",
        b"<Error><Code>SlowDown</Code></Error>",
        b"\n\n  <Error><Code>InvalidPart</Code></Error>",
        b"<html>Bad gateway</html>",
        b"<CompleteMultipartUploadResult><ETag>",
        b"",
    ],
)
def test_case_70_an_error_inside_a_200_of_the_completion_is_an_error(
    faulty: Store, proxy: Proxy, bucket: str, body: bytes
) -> None:
    proxy.fault("POST", "uploadId=", lambda _: Answer(200, body, {"Content-Type": "application/xml"}))
    assert reason_of(lambda: write(faulty, bucket, "k", some(PART + 1))) is Reason.STORAGE_UNAVAILABLE
    assert proxy.count("DELETE", "uploadId=") == 1
    assert faulty.stat(bucket, "k") is None


def test_case_70_a_completion_that_fails_inside_a_200_once_is_asked_again(
    faulty: Store, proxy: Proxy, bucket: str
) -> None:
    proxy.fault("POST", "uploadId=", says(200, "InternalError"), times=1)
    write(faulty, bucket, "k", some(PART + 1))
    assert proxy.count("POST", "uploadId=") == 2


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (507, "XMinioStorageFull", Reason.STORAGE_FULL),
        (403, "QuotaExceeded", Reason.STORAGE_FULL),
        (403, "RequestTimeTooSkewed", Reason.STORAGE_DENIED),
        (403, "", Reason.STORAGE_DENIED),
        (404, "NoSuchBucket", Reason.STORAGE_DENIED),
        (404, "NoSuchUpload", Reason.STORAGE_UNAVAILABLE),
        (301, "PermanentRedirect", Reason.STORAGE_DENIED),
        (400, "InvalidRequest", Reason.STORAGE_UNAVAILABLE),
    ],
)
def test_a_refusal_has_its_reason_and_is_not_repeated(
    faulty: Store, proxy: Proxy, bucket: str, status: int, code: str, reason: Reason
) -> None:
    proxy.fault("PUT", "/k", says(status, code))
    body = b"abc"
    assert reason_of(lambda: faulty.put(bucket, "k", body, content_type="text/plain")) is reason
    assert proxy.count("PUT", "/k") == 1


@pytest.mark.parametrize("act", ["stat", "digest", "read", "put", "upload", "copy", "check", "delete"])
def test_a_wrong_key_is_denied_and_never_shown(s3: S3, store: Store, bucket: str, act: str) -> None:
    store.put(bucket, "k", b"abc", content_type="text/plain")
    wrong = Store.open(s3.endpoint, s3.region, s3.access_key, SECRET, part_bytes=PART)
    unknown = Store.open(s3.endpoint, s3.region, ACCESS, SECRET, part_bytes=PART)
    for stranger in (wrong, unknown):
        with pytest.raises(Failure) as caught:
            ACTS[act](stranger, bucket, "k")
        assert caught.value.reason is Reason.STORAGE_DENIED
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value.evidence) + repr(stranger)
        assert not [secret for secret in (SECRET, ACCESS, s3.secret_key, s3.endpoint) if secret in shown]


ACTS: dict[str, Callable[[Store, str, str], object]] = {
    "stat": lambda store, bucket, key: store.stat(bucket, key),
    "digest": lambda store, bucket, key: store.digest(bucket, key),
    "read": read_all,
    "put": lambda store, bucket, key: store.put(bucket, key, b"abc", content_type="text/plain"),
    "upload": lambda store, bucket, key: write(store, bucket, key, some(PART + 1)),
    "copy": lambda store, bucket, key: store.copy((bucket, key, None), bucket, "l", content_type="a/b", metadata={}),
    "check": lambda store, bucket, _: store.check(bucket),
    "delete": lambda store, bucket, key: store.delete(bucket, key),
}


def test_what_the_store_says_is_not_repeated_in_an_exception(faulty: Store, proxy: Proxy, bucket: str) -> None:
    body = f"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>{ACCESS}</AWSAccessKeyId></Error>".encode()
    proxy.fault("GET", "/k", lambda _: Answer(403, body, {"Content-Type": "text/xml"}))
    with pytest.raises(Failure) as caught:
        faulty.digest(bucket, "k")
    assert caught.value.evidence["code"] == "InvalidAccessKeyId"
    assert ACCESS not in "".join(traceback.format_exception(caught.value)) + repr(caught.value.evidence)


@pytest.mark.parametrize("act", ["digest", "read", "put", "upload", "check"])
def test_fr68_a_missing_bucket_is_no_missing_object(store: Store, act: str) -> None:
    with pytest.raises(Failure) as caught:
        ACTS[act](store, "there-is-no-such-bucket", "k")
    assert (caught.value.reason, caught.value.evidence["code"]) == (Reason.STORAGE_DENIED, "NoSuchBucket")


def test_fr68_nothing_that_listens_is_a_store_that_does_not_answer(s3: S3, bucket: str) -> None:
    nobody = s3.by_way_of("http://127.0.0.1:1").open()
    assert reason_of(lambda: nobody.check(bucket)) is Reason.STORAGE_UNAVAILABLE
    assert reason_of(lambda: nobody.stat(bucket, "k")) is Reason.STORAGE_UNAVAILABLE


def test_a_read_that_ends_early_is_never_taken_for_the_whole(faulty: Store, proxy: Proxy, bucket: str) -> None:
    write(faulty, bucket, "k", some(3_000_000))

    def cut(request: Request) -> Answer:
        answer = request.forward()
        answer.cut_after = 2_000_000
        return answer

    proxy.fault("GET", "/k", cut)
    assert reason_of(lambda: faulty.digest(bucket, "k")) is Reason.STORAGE_UNAVAILABLE
    assert reason_of(lambda: read_all(faulty, bucket, "k")) is Reason.STORAGE_UNAVAILABLE


def test_stored_bytes_are_read_as_they_are_whatever_their_encoding_says(
    faulty: Store, proxy: Proxy, bucket: str
) -> None:
    write(faulty, bucket, "k", some(1000))

    def claim_gzip(request: Request) -> Answer:
        answer = request.forward()
        answer.headers["Content-Encoding"] = "gzip"
        return answer

    proxy.fault("GET", "/k", claim_gzip)
    assert read_all(faulty, bucket, "k") == some(1000)


def test_a_read_is_repeated_and_no_delay_of_the_store_is_obeyed(faulty: Store, proxy: Proxy, bucket: str) -> None:
    write(faulty, bucket, "k", some(10))
    proxy.fault("GET", "/k", says(503, "SlowDown", Retry_After="3600"), times=2)
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(read_all, faulty, bucket, "k").result(20) == some(10)


def test_a_redirect_is_not_followed(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("GET", "/k", says(307, "TemporaryRedirect", Location=f"{proxy.endpoint}/elsewhere"))
    assert reason_of(lambda: read_all(faulty, bucket, "k")) is Reason.STORAGE_UNAVAILABLE
    assert proxy.count("GET", "elsewhere") == 0


def test_fr68_a_slow_store_has_more_time_for_a_part_than_for_a_connection(
    s3: S3, proxy: Proxy, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CONNECT_SECONDS", 0.2)
    slow = s3.by_way_of(proxy.endpoint).open()
    proxy.slow_down(5e6)
    write(slow, bucket, "k", some(2 * PART))
    assert proxy.count("PUT", "partNumber=") == 2


def test_an_upload_goes_on_when_a_silent_store_answers_late(faulty: Store, proxy: Proxy, bucket: str) -> None:
    go = Event()

    def late(request: Request) -> Answer:
        assert go.wait(60)
        return request.forward()

    proxy.fault("POST", "uploadId=", late)
    with ThreadPoolExecutor(1) as executor:
        writing = executor.submit(write, faulty, bucket, "k", some(PART + 1))
        eventually(lambda: proxy.count("POST", "uploadId=") == 1)
        assert not writing.done()
        go.set()
        assert writing.result(60)


@pytest.mark.parametrize(
    ("key", "version"), [("../x", None), ("a/../b", None), ("k", "bogus"), ("k", "../../x"), ("studio//x", None)]
)
def test_a_name_or_version_that_no_object_can_have_is_not_there(
    store: Store, bucket: str, key: str, version: str | None
) -> None:
    write(store, bucket, "k", b"whole")
    with pytest.raises(NotThere), store.read(bucket, key, version):
        pytest.fail("it was read")
