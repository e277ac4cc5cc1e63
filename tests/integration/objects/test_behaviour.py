"""How a real store behaves, and how one behind a proxy that keeps to conditions."""

import pytest

from shared.objects import Changed, Store
from shared.objects.behaviour import PROBED, Answer, copy_conditions, heeds_copy_conditions, put_conditions
from tests.integration.objects.heeding import heeding
from tests.integration.objects.proxy import Proxy, lose_request, says


def left(store: Store, bucket: str) -> int:
    return store.ask("GET", bucket, query={"list-type": "2"}).body.count("<Key>")


def test_rclone_ignores_conditions_and_nothing_is_left(store: Store, bucket: str) -> None:
    assert copy_conditions(store, bucket, PROBED) is Answer.IGNORED
    assert put_conditions(store, bucket, PROBED) is Answer.IGNORED
    assert not heeds_copy_conditions(store, bucket)
    assert left(store, bucket) == 0


def test_a_store_that_refuses_a_stale_etag_and_takes_the_right_one_heeds_it(
    store: Store, faulty: Store, proxy: Proxy, bucket: str
) -> None:
    proxy.fault("PUT", bucket, heeding(store))
    assert heeds_copy_conditions(faulty, bucket)
    assert left(store, bucket) == 0


def test_a_store_that_refuses_every_condition_is_copied_without(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "outlast-probe/copy?", says(412, "PreconditionFailed"))
    proxy.fault("PUT", "outlast-probe/copy", says(412, "PreconditionFailed"))
    proxy.fault("PUT", "copy-source", lambda request: request.forward())
    assert copy_conditions(faulty, bucket, PROBED) is Answer.REFUSED


def test_a_probe_that_fails_means_no_condition(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", bucket, says(403, "AccessDenied"))
    assert not heeds_copy_conditions(faulty, bucket)


def test_a_probe_without_an_answer_means_no_condition(faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "outlast-probe/copy", lose_request)
    assert not heeds_copy_conditions(faulty, bucket)


def test_a_key_that_may_not_delete_leaves_the_same_two_objects_whatever_often_it_probes(
    store: Store, faulty: Store, proxy: Proxy, bucket: str
) -> None:
    proxy.fault("DELETE", bucket, says(403, "AccessDenied"))
    for _ in range(3):
        assert not heeds_copy_conditions(faulty, bucket)
    assert left(store, bucket) == 2


def test_a_copy_of_what_was_replaced_is_refused(store: Store, faulty: Store, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", bucket, heeding(store))
    store.put(bucket, "a", b"first", content_type="text/plain")
    head = store.stat(bucket, "a")
    assert head
    given = {"content_type": "text/plain", "metadata": {}, "if_match": head.etag}
    faulty.copy((bucket, "a", None), bucket, "b", **given)  # type: ignore[arg-type]
    store.put(bucket, "a", b"other", content_type="text/plain")
    with pytest.raises(Changed):
        faulty.copy((bucket, "a", None), bucket, "c", **given)  # type: ignore[arg-type]
    assert store.stat(bucket, "b")
    assert store.stat(bucket, "c") is None
