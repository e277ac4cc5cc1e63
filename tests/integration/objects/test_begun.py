"""The id of a multipart upload is told when it begins, whatever becomes of who hears it."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import pytest
from structlog.testing import capture_logs

from shared.errors import Failure, LeaseLost
from shared.objects import Store
from shared.reasons import Reason
from tests.integration.broker.polling import eventually
from tests.integration.objects.proxy import Proxy, says
from tests.integration.objects.servers import PART
from tests.integration.objects.test_upload import some


def write(store: Store, bucket: str, body: bytes, begun: Callable[[str], None]) -> str | None:
    with store.upload(bucket, "k", begun=begun) as upload:
        upload.write(body)
        upload.complete()
        return upload.upload_id


def test_the_id_is_told_once_and_not_on_the_writers_thread(faulty: Store, proxy: Proxy, bucket: str) -> None:
    heard: list[tuple[str, int]] = []
    proxy.fault("PUT", "partNumber=1&", says(503, "SlowDown"), times=2)
    upload_id = write(faulty, bucket, some(3 * PART), lambda told: heard.append((told, get_ident())))
    [(told, thread)] = heard
    assert told == upload_id
    assert thread != get_ident()


def test_the_id_is_told_before_the_first_part_is_sent(faulty: Store, proxy: Proxy, bucket: str) -> None:
    sent: list[int] = []
    write(faulty, bucket, some(PART + 1), lambda _: sent.append(proxy.count("PUT", "partNumber=1&")))
    assert sent == [0]


def test_a_small_body_has_no_id_to_tell(store: Store, bucket: str) -> None:
    heard: list[str] = []
    assert write(store, bucket, some(PART), heard.append) is None
    assert heard == []


def test_an_upload_goes_on_when_its_id_cannot_be_recorded(store: Store, bucket: str) -> None:
    body = some(3 * PART)

    def away(_: str) -> None:
        raise Failure(Reason.DATABASE)

    with capture_logs() as logs:
        upload_id = write(store, bucket, body, away)
    assert store.digest(bucket, "k").sha256 == hashlib.sha256(body).hexdigest()
    [entry] = [entry for entry in logs if entry["event"] == "upload_id_not_recorded"]
    assert entry == {
        "event": "upload_id_not_recorded",
        "log_level": "warning",
        "reason": Reason.DATABASE,
        "bucket": bucket,
        "object": "k",
        "upload_id": upload_id,
    }


def test_the_other_parts_go_on_while_somebody_hears_the_id(faulty: Store, proxy: Proxy, bucket: str) -> None:
    go = Event()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write, faulty, bucket, some(3 * PART), lambda _: eventually(go.is_set))
        eventually(lambda: proxy.count("PUT", "partNumber=2&") == 1)
        assert proxy.count("PUT", "partNumber=1&") == 0
        go.set()
        assert writing.result(60)


def test_who_hears_that_the_task_is_no_longer_ours_ends_the_upload(faulty: Store, proxy: Proxy, bucket: str) -> None:
    def lost(_: str) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        write(faulty, bucket, some(3 * PART), lost)
    assert proxy.count("DELETE", "uploadId=") == 1
    assert faulty.stat(bucket, "k") is None
