"""A secret key that is changed while a process uses it."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from shared.errors import Failure, UsageError
from shared.objects import NotThere, Store, Upload
from shared.reasons import Reason
from shared.settings import secret_from
from tests.integration.broker.polling import eventually
from tests.integration.objects.guarded import Guarded
from tests.integration.objects.proxy import Fault, Proxy, says
from tests.integration.objects.servers import PART, S3
from tests.integration.objects.test_upload import some, write

OLD, NEW = "the-old-secret", "the-new-secret"


@pytest.fixture
def guarded(s3: S3, proxy: Proxy) -> Guarded:
    """The server behind a proxy, under a secret that a test may change."""
    return Guarded(s3, proxy, OLD)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of the secret that the store of a test reads."""
    file = tmp_path / "secret"
    file.write_text(OLD + "\n")
    return file


@pytest.fixture
def rotated(s3: S3, proxy: Proxy, guarded: Guarded, file: Path) -> Store:
    """A store that reads its secret from the file."""
    return s3.by_way_of(proxy.endpoint).open(secret_key=partial(secret_from, file))


def begun(store: Store, bucket: str, body: bytes) -> Upload:
    upload = store.upload(bucket, "k")
    upload.write(body)
    eventually(lambda: upload.upload_id is not None)
    return upload


REFUSALS = [says(403, "SignatureDoesNotMatch"), says(403, "InvalidAccessKeyId"), says(400, "ExpiredToken"), says(401)]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_case_71_a_secret_that_is_changed_in_mid_upload_is_read_again(
    rotated: Store, guarded: Guarded, file: Path, bucket: str, refusal: Fault
) -> None:
    body = some(5 * PART)
    guarded.refusal = refusal
    upload = begun(rotated, bucket, body[: 2 * PART + 1])
    file.write_text(NEW)
    guarded.secret = NEW
    upload.write(body[2 * PART + 1 :])
    upload.complete()
    assert guarded.refused >= 1
    stored = rotated.digest(bucket, "k")
    assert (stored.size, stored.sha256) == (len(body), hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize("refusal", REFUSALS)
def test_case_71_a_secret_that_ended_in_mid_upload_is_a_clean_failure_of_ours(
    rotated: Store, guarded: Guarded, file: Path, bucket: str, refusal: Fault
) -> None:
    guarded.refusal = refusal
    upload = begun(rotated, bucket, some(2 * PART + 1))
    guarded.secret = NEW
    with capture_logs() as logs:
        with pytest.raises(Failure) as caught:
            upload.write(some(3 * PART))
        assert caught.value.reason is Reason.STORAGE_DENIED
        assert caught.value.reason.is_ours
        upload.abort()
    [entry] = [entry for entry in logs if entry["event"] == "upload_abort_failed"]
    named = (entry["reason"], entry["bucket"], entry["object"], entry["upload_id"])
    assert named == (Reason.STORAGE_DENIED, bucket, "k", upload.upload_id)
    assert not [secret for secret in (OLD, NEW) if secret in repr(logs) + repr(caught.value.evidence)]
    file.write_text(NEW)
    write(rotated, bucket, "k", some(PART + 1))


ACTS: dict[str, Callable[[Store, str], object]] = {
    "stat": lambda store, bucket: store.stat(bucket, "k"),
    "digest": lambda store, bucket: store.digest(bucket, "k"),
    "put": lambda store, bucket: store.put(bucket, "k", b"abc", content_type="text/plain"),
    "small upload": lambda store, bucket: write(store, bucket, "k", b"abc"),
    "upload": lambda store, bucket: write(store, bucket, "k", some(PART + 1)),
    "copy": lambda store, bucket: store.copy((bucket, "k", None), bucket, "l", content_type="a/b", metadata={}),
    "check": lambda store, bucket: store.check(bucket),
    "delete": lambda store, bucket: store.delete(bucket, "k"),
}


@pytest.mark.parametrize("act", ACTS)
def test_every_act_survives_a_changed_secret(
    rotated: Store, guarded: Guarded, file: Path, bucket: str, act: str
) -> None:
    write(rotated, bucket, "k", b"abc")
    file.write_text(NEW)
    ACTS[act](rotated, bucket)
    assert guarded.refused == 0
    guarded.secret = NEW
    ACTS[act](rotated, bucket)
    assert guarded.refused == 1


def test_a_secret_that_the_store_still_takes_is_kept_whatever_else_it_answers(
    rotated: Store, guarded: Guarded, file: Path, bucket: str
) -> None:
    file.write_text(NEW)
    with pytest.raises(NotThere):
        rotated.digest(bucket, "none")
    write(rotated, bucket, "k", b"abc")
    assert guarded.refused == 0


def test_a_wrong_secret_is_asked_about_once_for_each_request(rotated: Store, guarded: Guarded, bucket: str) -> None:
    guarded.secret = NEW
    with pytest.raises(Failure):
        rotated.check(bucket)
    assert guarded.refused == 1


@pytest.mark.parametrize("spoil", [lambda file: file.unlink(), lambda file: file.write_text("\n")])
def test_a_file_that_gives_no_secret_leaves_the_last_one(
    rotated: Store, proxy: Proxy, file: Path, bucket: str, spoil: Callable[[Path], object]
) -> None:
    spoil(file)
    proxy.fault("HEAD", bucket, says(403), times=1)
    with pytest.raises(Failure):
        rotated.check(bucket)
    rotated.check(bucket)


def test_many_threads_read_a_changed_secret_together(rotated: Store, guarded: Guarded, file: Path, bucket: str) -> None:
    file.write_text(NEW)
    guarded.secret = NEW
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write(rotated, bucket, f"k{number}", b"abc"), range(16)))


def test_a_secret_that_cannot_be_read_at_the_start_is_told(s3: S3, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Cannot read the secret file"):
        s3.open(secret_key=partial(secret_from, tmp_path / "none"))
