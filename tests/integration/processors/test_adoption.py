"""Results between their put and their record: looked up, adopted where they are whole, made anew where not."""

from dataclasses import replace
from typing import Any

import pytest

from outlast import (
    Asset,
    Finished,
    Outcome,
    ProcessingLedger,
    Unavailable,
    open_verified,
)
from outlast.result import Place
from shared.objects import Store
from tests.integration.objects.proxy import Answer, Fault, Proxy, Request, lose_answer, says
from tests.integration.processors.conftest import VERSION, Ledgers
from tests.integration.processors.runs import LIMIT, POSTER, Administrator, completed, lapsed, row, run_of


def test_a_result_that_was_put_and_not_recorded_is_adopted(
    ledgers: Ledgers, asset: Asset, faulty: Store, proxy: Proxy
) -> None:
    """A run that is killed between its put and its record leaves exactly this."""
    ledger = ledgers(store=faulty, lease_seconds=0.3)
    run_of(ledger, asset)
    put = Place(faulty, ledgers.bucket, asset, VERSION, "jpg").put(POSTER, "image/jpeg")
    told = lapsed(ledger, asset)
    assert told == Finished(Outcome.COMPLETED, put, adopted=True)
    assert proxy.count("PUT", "output/") == 1
    assert ledger.begin(asset, VERSION) == replace(told, adopted=False)


def test_a_result_outlives_a_ledger_that_was_lost(
    ledger: ProcessingLedger, asset: Asset, administrator: Administrator
) -> None:
    first = completed(ledger, asset)
    administrator.execute("DELETE FROM processing")
    assert ledger.begin(asset, VERSION, extension="jpg") == replace(first, adopted=True)


def damaged(store: Store, bucket: str, key: str) -> None:
    head = store.stat(bucket, key)
    assert head
    store.put(bucket, key, b"x" * head.size, content_type=head.content_type, metadata=head.metadata)


def cut(store: Store, bucket: str, key: str) -> None:
    head = store.stat(bucket, key)
    assert head
    store.put(bucket, key, POSTER[:-1], content_type=head.content_type, metadata=head.metadata)


def of_another_asset(store: Store, bucket: str, key: str) -> None:
    head = store.stat(bucket, key)
    assert head
    metadata = {**head.metadata, "derived-from-sha256": "c" * 64}
    store.put(bucket, key, POSTER, content_type=head.content_type, metadata=metadata)


def somebodys(store: Store, bucket: str, key: str) -> None:
    store.put(bucket, key, POSTER, content_type="image/jpeg")


@pytest.mark.parametrize("change", [damaged, cut, of_another_asset, somebodys])
def test_what_is_no_whole_result_of_this_asset_is_made_anew(
    ledger: ProcessingLedger, asset: Asset, administrator: Administrator, change: Any
) -> None:
    first = completed(ledger, asset)
    assert first.result is not None
    administrator.execute("DELETE FROM processing")
    change(ledger.store, first.result.bucket, first.result.key)
    assert completed(ledger, asset).result == first.result
    with open_verified(first.result, max_bytes=LIMIT, store=ledger.store) as reader:
        assert reader.read() == POSTER


def test_a_put_whose_answer_is_lost_is_looked_up(ledgers: Ledgers, asset: Asset, faulty: Store, proxy: Proxy) -> None:
    proxy.fault("PUT", "output/", lose_answer, times=1)
    assert completed(ledgers(store=faulty), asset).outcome is Outcome.COMPLETED


def other_bytes(request: Request) -> Answer:
    return replace(request.forward(), body=b"y" * len(POSTER))


@pytest.mark.parametrize("fault", [other_bytes, says(404, "NoSuchKey")], ids=["other bytes", "gone at once"])
def test_a_result_that_does_not_read_back_is_not_recorded(
    ledgers: Ledgers, asset: Asset, faulty: Store, proxy: Proxy, administrator: Administrator, fault: Fault
) -> None:
    proxy.fault("GET", "output/", fault, times=1)
    with pytest.raises(Unavailable) as caught:
        completed(ledgers(store=faulty), asset)
    assert caught.value.reason == "copy_mismatch"
    assert row(administrator, "state, tries") == ("received", 0)


def test_a_store_that_is_away_at_the_begin_keeps_no_lease(
    ledgers: Ledgers, asset: Asset, faulty: Store, proxy: Proxy
) -> None:
    proxy.fault("HEAD", "output/", says(403), times=1)
    ledger = ledgers(store=faulty)
    with pytest.raises(Unavailable) as caught:
        ledger.begin(asset, VERSION)
    assert caught.value.reason == "storage_denied"
    assert run_of(ledger, asset).tries == 0
