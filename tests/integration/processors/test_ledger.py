"""The ledger of processors on a real database and a real store: one run at a time, one result, one last word."""

import hashlib
import io
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from outlast import (
    Asset,
    DigestMismatch,
    Finished,
    LeaseLost,
    Outcome,
    ProcessingLedger,
    Run,
    RunningElsewhere,
    Unavailable,
    UnknownAsset,
    open_verified,
)
from shared.errors import UsageError
from shared.objects import Store
from tests.conftest import TestDatabase
from tests.integration.objects.proxy import Proxy
from tests.integration.processors.conftest import BODY, VERSION, Capture, Ledgers
from tests.integration.processors.runs import (
    LIMIT,
    POSTER,
    Administrator,
    completed,
    lapsed,
    row,
    run_of,
)


def test_of_twenty_that_begin_at_once_one_runs_and_the_others_are_told_until_when(
    ledgers: Ledgers, asset: Asset
) -> None:
    many = [ledgers() for _ in range(4)]
    with ThreadPoolExecutor(20) as pool:
        begun = list(pool.map(lambda n: many[n % 4].begin(asset, VERSION), range(20)))
    assert sum(isinstance(one, Run) for one in begun) == 1
    others = [one for one in begun if isinstance(one, RunningElsewhere)]
    assert len(others) == 19
    assert all(20 < one.seconds <= 60 for one in others)


def test_the_result_is_at_its_key_and_everyone_after_gets_it(
    ledgers: Ledgers, asset: Asset, store: Store, bucket: str
) -> None:
    done = completed(ledgers(), asset)
    key = f"output/{asset.task_id}/{hashlib.sha256(VERSION.encode()).hexdigest()[:32]}/{asset.sha256}.jpg"
    assert done.result is not None
    assert (done.result.bucket, done.result.key, done.result.size) == (bucket, key, len(POSTER))
    assert ledgers().begin(asset, VERSION, extension="jpg") == done
    with open_verified(done.result, max_bytes=LIMIT, store=store) as reader:
        assert reader.read() == POSTER
    head = store.stat(bucket, key)
    assert head
    assert head.content_type == "image/jpeg"
    assert head.metadata["derived-from"] == str(asset.task_id)
    assert head.metadata["derived-from-sha256"] == asset.sha256
    assert head.metadata["sha256"] == hashlib.sha256(POSTER).hexdigest()


def test_a_result_may_be_a_file_of_many_parts(ledgers: Ledgers, asset: Asset, store: Store, tmp_path: Path) -> None:
    body = bytes(range(256)) * 50_000
    (tmp_path / "made").write_bytes(body)
    done = completed(ledgers(), asset, tmp_path / "made")
    assert done.result is not None
    assert done.result.sha256 == hashlib.sha256(body).hexdigest()


def test_a_run_goes_through_its_states(ledger: ProcessingLedger, asset: Asset, administrator: Administrator) -> None:
    with run_of(ledger, asset) as run:
        assert row(administrator, "state, lease_id IS NOT NULL, epoch") == ("validating", True, 1)
        file = io.BytesIO()
        run.fetch(file, max_bytes=LIMIT)
        assert file.read() == BODY
        assert row(administrator, "state") == ("processing",)
        run.complete(POSTER, content_type="image/jpeg")
    assert row(administrator, "state, lease_id, finished_at IS NOT NULL") == ("completed", None, True)


def test_another_version_of_the_processor_runs_anew(ledger: ProcessingLedger, asset: Asset) -> None:
    completed(ledger, asset)
    with run_of(ledger, asset, "poster/2") as run:
        other = run.complete(b"another", content_type="image/jpeg")
    again = ledger.begin(asset, VERSION, extension="jpg")
    assert isinstance(again, Finished)
    assert again.result is not None
    assert other.result is not None
    assert again.result.key != other.result.key


def test_after_a_lapse_the_next_run_has_a_higher_epoch_and_the_late_one_records_nothing(
    ledgers: Ledgers, asset: Asset, administrator: Administrator
) -> None:
    late = run_of(ledgers(lease_seconds=0.3), asset)  # never entered: nobody renews it
    successor = lapsed(ledgers(), asset)
    assert isinstance(successor, Run)
    assert successor.epoch > late.epoch
    with pytest.raises(LeaseLost):
        late.complete(b"late", content_type="image/jpeg")
    for act in (late.reject, late.fail):
        with pytest.raises(LeaseLost):
            act("too_late")
    with successor:
        done = successor.complete(POSTER, content_type="image/jpeg")
    assert done.result is not None
    with pytest.raises(LeaseLost):
        late.complete(b"late", content_type="image/jpeg")
    assert row(administrator, "result_sha256") == (hashlib.sha256(POSTER).hexdigest(),)
    with open_verified(done.result, max_bytes=LIMIT, store=ledgers.store) as reader:
        assert reader.read() == POSTER


def test_a_finish_whose_put_was_slower_than_its_lease_is_refused(
    ledgers: Ledgers, asset: Asset, proxy: Proxy, faulty: Store, administrator: Administrator
) -> None:
    """The successor begins while the late one is in the middle of its put."""
    late = run_of(ledgers(lease_seconds=0.3, store=faulty), asset)
    found: list[Run | Finished] = []

    def succeed(request: Any) -> Any:
        found.append(lapsed(ledgers(), asset))
        return request.forward()

    proxy.fault("PUT", "output/", succeed, times=1)
    with pytest.raises(LeaseLost):
        late.complete(b"late", content_type="image/jpeg")
    (successor,) = found
    assert isinstance(successor, Run)
    with successor:
        successor.complete(POSTER, content_type="image/jpeg")
    assert row(administrator, "state, epoch, result_sha256") == ("completed", 2, hashlib.sha256(POSTER).hexdigest())


def test_a_run_keeps_its_lease_for_as_long_as_it_works(ledgers: Ledgers, asset: Asset) -> None:
    other = ledgers()
    with run_of(ledgers(lease_seconds=0.6), asset) as run:
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            assert isinstance(other.begin(asset, VERSION), RunningElsewhere)
        run.complete(POSTER, content_type="image/jpeg")
    assert run.epoch == 1


@pytest.mark.parametrize("act", ["reject", "fail"])
def test_a_final_refusal_is_told_to_everyone_after(ledger: ProcessingLedger, asset: Asset, act: str) -> None:
    with run_of(ledger, asset) as run:
        getattr(run, act)("no_usable_frame", "all black, see https://host/x?sig=canary")
    told = ledger.begin(asset, VERSION)
    assert isinstance(told, Finished)
    assert (told.outcome, told.result, told.reason) == (
        {"reject": Outcome.REJECTED, "fail": Outcome.FAILED}[act],
        None,
        "no_usable_frame",
    )
    assert told.detail is not None
    assert "canary" not in told.detail


def test_a_reason_is_one_word(ledger: ProcessingLedger, asset: Asset) -> None:
    with run_of(ledger, asset) as run:
        with pytest.raises(UsageError, match="one word"):
            run.reject("a whole sentence")
        run.reject("a_word")


def test_an_asset_with_other_bytes_is_not_handed_out_and_counts_as_a_try(
    ledger: ProcessingLedger, capture: Capture, administrator: Administrator
) -> None:
    asset = capture(BODY, recorded="b" * 64)
    with pytest.raises(DigestMismatch), run_of(ledger, asset) as run:
        run.fetch(io.BytesIO(), max_bytes=LIMIT)
    assert row(administrator, "state, tries, reason") == ("received", 1, "digest_mismatch")


def test_an_error_of_the_work_gives_the_lease_back_until_no_try_is_left(ledgers: Ledgers, asset: Asset) -> None:
    ledger = ledgers(most_tries=3)
    for number in range(3):
        with pytest.raises(ZeroDivisionError), run_of(ledger, asset):
            raise ZeroDivisionError(f"in step {number}")
    told = ledger.begin(asset, VERSION)
    assert told == Finished(Outcome.FAILED, None, "ZeroDivisionError", "in step 2")


def test_a_run_that_vanishes_again_and_again_is_poison(
    ledgers: Ledgers, asset: Asset, administrator: Administrator
) -> None:
    ledger = ledgers(lease_seconds=0.2, most_tries=2)
    run_of(ledger, asset)
    assert isinstance(lapsed(ledger, asset), Run)
    told = lapsed(ledger, asset)
    assert isinstance(told, Finished)
    assert (told.outcome, told.reason) == (Outcome.FAILED, "poisoned")
    assert row(administrator, "tries, epoch, lease_id") == (2, 2, None)


def test_a_block_that_ends_without_a_word_is_a_try(
    ledger: ProcessingLedger, asset: Asset, administrator: Administrator
) -> None:
    with run_of(ledger, asset):
        pass
    assert row(administrator, "state, tries, reason") == ("received", 1, "no_end")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_process_that_is_stopped_gives_its_lease_back_and_charges_nothing(
    ledger: ProcessingLedger, asset: Asset, administrator: Administrator, stop: type[BaseException]
) -> None:
    with pytest.raises(stop), run_of(ledger, asset):
        raise stop
    assert row(administrator, "state, tries") == ("received", 0)
    assert isinstance(ledger.begin(asset, VERSION), Run)


def test_a_database_that_is_away_is_told_clearly(database: TestDatabase, store: Store, asset: Asset) -> None:
    away = f"postgresql://outlast_processor@127.0.0.1:1/{database.name}"
    with ProcessingLedger(away, store=store) as ledger, pytest.raises(Unavailable, match="database does not answer"):
        ledger.begin(asset, VERSION)


def test_a_record_that_the_database_refuses_loses_nothing(
    ledgers: Ledgers, asset: Asset, administrator: Administrator, faulty: Store, proxy: Proxy
) -> None:
    """The database is away between the put and the record: the result is adopted by the next run."""
    ledger = ledgers(lease_seconds=0.5, store=faulty)

    def revoke(request: Any) -> Any:
        administrator.execute("REVOKE UPDATE ON processing FROM outlast_processor")
        return request.forward()

    proxy.fault("PUT", "output/", revoke, times=1)
    with pytest.raises(Unavailable), run_of(ledger, asset) as run:
        run.complete(POSTER, content_type="image/jpeg")
    administrator.execute("GRANT UPDATE ON processing TO outlast_processor")
    told = lapsed(ledger, asset)
    assert isinstance(told, Finished)
    assert told.adopted
    assert proxy.count("PUT", "output/") == 1


def test_an_asset_that_no_task_has_is_refused(ledger: ProcessingLedger, asset: Asset, capture: Capture) -> None:
    stored = capture(b"proven and in its place, but not complete", completed=False)
    for wrong in (replace(asset, task_id=uuid4()), replace(asset, sha256="d" * 64), stored):
        with pytest.raises(UnknownAsset):
            ledger.begin(wrong, VERSION)


def test_names_that_are_none_are_refused(ledger: ProcessingLedger, asset: Asset) -> None:
    for version in ("", "a\0b", "a\nb", "x" * 513):
        with pytest.raises(UsageError, match="processor version"):
            ledger.begin(asset, version)
    for extension in ("", "a/b", "../x", "ß", "x" * 17):
        with pytest.raises(UsageError, match="extension"):
            ledger.begin(asset, VERSION, extension=extension)
