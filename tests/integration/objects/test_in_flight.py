"""Uploads that share the parts their process may hold."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from shared.errors import Failure
from shared.objects import Store, Upload, budget
from tests.integration.broker.polling import eventually
from tests.integration.objects.proxy import Answer, Fault, Proxy, Request, says
from tests.integration.objects.servers import PART, S3
from tests.integration.objects.test_upload import some, write


def behind(s3: S3, proxy: Proxy, parts: int) -> Store:
    """A store behind the proxy whose uploads hold so many parts together."""
    return s3.by_way_of(proxy.endpoint).open(bytes_in_flight=parts * PART)


def held(store: Store) -> int:
    return store._budget.held


def held_until(go: Event) -> Fault:
    def hold(request: Request) -> Answer:
        assert go.wait(60)
        return request.forward()

    return hold


def same(store: Store, bucket: str, key: str, body: bytes) -> bool:
    return store.digest(bucket, key).sha256 == hashlib.sha256(body).hexdigest()


def test_where_there_is_room_for_one_part_it_is_sent_before_the_next_fills(s3: S3, proxy: Proxy, bucket: str) -> None:
    store, go, written = behind(s3, proxy, 1), Event(), []
    proxy.fault("PUT", "partNumber=1&", held_until(go))
    body = some(3 * PART)

    def fill() -> None:
        with store.upload(bucket, "k") as upload:
            for start in range(0, len(body), 2**20):
                upload.write(body[start : start + 2**20])
                written.append(start)
            upload.complete()

    with ThreadPoolExecutor(1) as pool:
        filling = pool.submit(fill)
        eventually(lambda: proxy.count("PUT", "partNumber=1&") == 1)
        eventually(lambda: len(written) == PART // 2**20)
        assert (held(store), filling.done(), proxy.count("PUT", "partNumber=")) == (1, False, 1)
        go.set()
        filling.result(60)
    assert same(store, bucket, "k", body)


def test_an_upload_without_further_parts_waits_for_nobody_elses(s3: S3, proxy: Proxy, bucket: str) -> None:
    store, go = behind(s3, proxy, 3), Event()
    proxy.fault("PUT", "/silent?", held_until(go))
    silent = store.upload(bucket, "silent")
    silent.write(some(2 * PART + 1))
    assert held(store) == 3
    body = some(4 * PART + 1)
    write(store, bucket, "other", body)
    assert held(store) == 3
    go.set()
    silent.complete()
    assert same(store, bucket, "other", body)


def test_an_upload_gives_further_parts_up_for_the_first_part_of_another(s3: S3, proxy: Proxy, bucket: str) -> None:
    store, body = behind(s3, proxy, 3), some(9 * PART)
    rich, poor = store.upload(bucket, "rich"), store.upload(bucket, "poor")
    rich.write(body[: 2 * PART])
    assert held(store) == 3
    poor.write(b"x")
    assert held(store) == 4
    rich.write(body[2 * PART : 3 * PART + 1])
    assert held(store) == 3
    poor.abort()
    rich.write(body[3 * PART + 1 :])
    assert held(store) == 3
    rich.complete()
    assert held(store) == 0
    assert same(store, bucket, "rich", body)


@pytest.mark.parametrize("refusal", [says(503, "SlowDown"), says(503), says(429, "TooManyRequests")])
def test_a_slow_down_takes_half_of_the_further_parts(
    s3: S3, proxy: Proxy, bucket: str, monkeypatch: pytest.MonkeyPatch, refusal: Fault
) -> None:
    monkeypatch.setattr(budget, "RECOVERY_SECONDS", 1000.0)
    store, body = behind(s3, proxy, 8), some(6 * PART)
    proxy.fault("PUT", "partNumber=1&", refusal, times=1)
    with store.upload(bucket, "k") as upload:
        upload.write(body[: PART + 1])
        assert held(store) == 3
        eventually(lambda: proxy.count("PUT", "partNumber=1&") == 2)
        upload.write(body[PART + 1 :])
        assert held(store) == 2
        upload.complete()
    assert same(store, bucket, "k", body)


def test_a_slow_down_of_a_single_put_is_heard_too(s3: S3, proxy: Proxy, bucket: str) -> None:
    store = behind(s3, proxy, 8)
    with store.upload(bucket, "large") as large:
        large.write(some(PART + 1))
        assert held(store) == 3
        proxy.fault("PUT", "/small", says(503, "SlowDown"), times=1)
        write(store, bucket, "small", b"abc")
        large.write(some(PART))
        assert held(store) == 2
        large.complete()


def begin(store: Store, bucket: str) -> Upload:
    upload = store.upload(bucket, "k")
    upload.write(some(2 * PART + 1))
    return upload


def refused(store: Store, bucket: str, proxy: Proxy) -> None:
    proxy.fault("PUT", "partNumber=", says(403, "AccessDenied"))
    with begin(store, bucket) as upload, pytest.raises(Failure):
        upload.complete()


ENDINGS: dict[str, Callable[[Store, str, Proxy], object]] = {
    "complete": lambda store, bucket, _: begin(store, bucket).complete(),
    "abort": lambda store, bucket, _: begin(store, bucket).abort(),
    "refused": refused,
    "small": lambda store, bucket, _: write(store, bucket, "k", b"abc"),
    "unused": lambda store, bucket, _: store.upload(bucket, "k"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_upload_that_ended_holds_no_part(s3: S3, proxy: Proxy, bucket: str, ending: str) -> None:
    store = behind(s3, proxy, 8)
    ENDINGS[ending](store, bucket, proxy)
    assert held(store) == 0
