"""An object of the input bucket as a source: the very bytes that were told of, or none."""

import os
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeVar

import pytest

from services.downloader.objects import ObjectOrder, fetch
from services.downloader.order import Received, Sink
from shared.errors import Failure, LeaseLost, Stopping
from shared.objects import Store
from shared.reasons import Reason
from tests.faults.sinks import MemorySink
from tests.integration.objects.conftest import bucket, faulty, proxy, s3, store
from tests.integration.objects.proxy import Proxy

__all__ = ["bucket", "faulty", "proxy", "s3", "store"]

E = TypeVar("E", bound=Exception)
KEY, STAGED = "studio/in put.pdf", "staging/x"
BODY = os.urandom(3 * 2**20 + 17)


@pytest.fixture
def told(store: Store, bucket: str) -> dict[str, str]:
    """An object, as its store told of it."""
    return written(store, bucket, BODY)


def written(store: Store, bucket: str, body: bytes) -> dict[str, str]:
    store.put(bucket, KEY, body, content_type="application/pdf")
    head = store.stat(bucket, KEY)
    assert head is not None
    return {"bucket": bucket, "key": KEY, "etag": head.etag}


def copied(
    store: Store,
    told: dict[str, str],
    *,
    sink: Sink | None = None,
    seconds_to_stop: Any = lambda: None,
    progress: Any = lambda: None,
    **changes: Any,
) -> Received:
    order = replace(ObjectOrder(told, max_bytes=2**30, declared_size=None, declared_sha256=None), **changes)
    sink = sink or store.upload(told["bucket"], STAGED)
    return fetch(order, store, sink, progress=progress, seconds_to_stop=seconds_to_stop)


def ended(store: Store, told: dict[str, str], error: type[E], **changes: Any) -> E:
    """The exception that ends a copy, after which nothing is staged."""
    sink = MemorySink()
    with pytest.raises(error) as raised:
        copied(store, told, sink=sink, **changes)
    assert (sink.completed, sink.aborts) == (False, 1)
    return raised.value


def failed(store: Store, told: dict[str, str], **changes: Any) -> Failure:
    return ended(store, told, Failure, **changes)


def test_an_object_is_copied_counted_and_hashed(store: Store, told: dict[str, str]) -> None:
    found = copied(store, told, declared_size=len(BODY), declared_sha256=sha256(BODY).hexdigest())
    assert (found.size, found.sha256, found.length_proven) == (len(BODY), sha256(BODY).hexdigest(), True)
    staged = store.digest(told["bucket"], STAGED)
    assert (staged.size, staged.sha256) == (found.size, found.sha256)


def test_an_etag_in_another_spelling_is_the_same(store: Store, told: dict[str, str]) -> None:
    assert copied(store, {**told, "etag": told["etag"].lower()}).size == len(BODY)


def test_an_object_that_was_overwritten_is_gone_and_its_successor_is_never_taken_for_it(
    store: Store, told: dict[str, str]
) -> None:
    written(store, told["bucket"], BODY[::-1])
    failure = failed(store, told)
    assert failure.reason is Reason.SOURCE_GONE
    assert failure.evidence["why"] == "it was overwritten"


def test_an_object_that_was_deleted_is_gone(store: Store, told: dict[str, str]) -> None:
    store.delete(told["bucket"], KEY)
    assert failed(store, told).reason is Reason.SOURCE_GONE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_bytes": len(BODY) - 1}, Reason.TOO_LARGE),
        ({"declared_size": len(BODY) + 1}, Reason.SIZE_MISMATCH),
        ({"declared_sha256": "0" * 64}, Reason.DECLARED_MISMATCH),
    ],
)
def test_what_differs_from_the_promise_is_not_taken(
    store: Store, told: dict[str, str], changes: dict[str, Any], reason: Reason
) -> None:
    assert failed(store, told, **changes).reason is reason


def test_an_empty_object_is_no_output(store: Store, bucket: str) -> None:
    assert failed(store, written(store, bucket, b"")).reason is Reason.EMPTY_BODY


def test_a_process_that_is_asked_to_end_gives_it_back_at_once(store: Store, told: dict[str, str]) -> None:
    ended(store, told, Stopping, seconds_to_stop=lambda: 20.0)


def test_a_lost_lease_ends_the_copy(store: Store, told: dict[str, str]) -> None:
    def lost() -> None:
        raise LeaseLost

    ended(store, told, LeaseLost, progress=lost)


def test_a_store_that_breaks_off_is_our_own_fault(
    store: Store, told: dict[str, str], faulty: Store, proxy: Proxy
) -> None:
    proxy.close()
    assert failed(faulty, told).reason.is_ours
