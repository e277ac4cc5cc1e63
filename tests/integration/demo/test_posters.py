"""What the demonstration says of the posters, looked at in the store and in the ledger."""

from collections.abc import Iterator

import pytest

from deploy.local.demo.posters import Processed, posters
from outlast import Asset, ProcessingLedger, Result, Run
from shared.db.views import read_task
from shared.objects import Store
from tests.integration.db.conftest import As
from tests.integration.processors.conftest import (
    accept,
    administrator,
    as_role,
    asset,
    bucket,
    capture,
    ledger,
    ledgers,
    s3,
    store,
)

__all__ = ["accept", "administrator", "as_role", "asset", "bucket", "capture", "ledger", "ledgers", "s3", "store"]


def seen(as_role: As, asset: Asset) -> Processed:
    """The asset's processing as the demonstration looks it up."""
    rows = as_role("reader").run("processing_of_task", task_id=asset.task_id)
    task = read_task(as_role("reader"), asset.task_id)
    assert task is not None
    return Processed("a.mp4", task, rows[0] if rows else None)


@pytest.fixture
def run(ledger: ProcessingLedger, asset: Asset) -> Iterator[Run]:
    begun = ledger.begin(asset, "poster-1", extension="jpg")
    assert isinstance(begun, Run)
    with begun:
        yield begun


def poster_of(run: Run) -> Result:
    result = run.complete(b"a poster", content_type="image/jpeg").result
    assert result is not None
    return result


def test_a_poster_that_reads_back_is_one_good_finding(as_role: As, asset: Asset, store: Store, run: Run) -> None:
    made = poster_of(run)
    one = seen(as_role, asset)
    assert (one.is_over, one.result) == (True, made)
    assert [finding.holds for finding in posters([one], store)] == [True]


def test_a_refusal_is_a_last_word_too(as_role: As, asset: Asset, store: Store, run: Run) -> None:
    run.reject("no_usable_frame")
    assert [finding.holds for finding in posters([seen(as_role, asset)], store)] == [True]


def test_a_video_that_nobody_or_only_half_processed_is_named(
    as_role: As, asset: Asset, store: Store, ledger: ProcessingLedger
) -> None:
    (never,) = posters([seen(as_role, asset)], store)
    ledger.begin(asset, "poster-1")
    (half,) = posters([seen(as_role, asset)], store)
    assert (never.holds, half.holds) == (False, False)
    assert "never seen" in never.text
    assert "validating" in half.text


@pytest.mark.parametrize("body", [b"an other", b"a poster, longer"])
def test_a_poster_with_other_bytes_is_told(as_role: As, asset: Asset, store: Store, run: Run, body: bytes) -> None:
    made = poster_of(run)
    store.put(made.bucket, made.key, body, content_type="image/jpeg")
    (finding,) = posters([seen(as_role, asset)], store)
    assert not finding.holds
    assert "cannot be read" in finding.text


def test_a_poster_that_names_no_origin_is_told(as_role: As, asset: Asset, store: Store, run: Run) -> None:
    made = poster_of(run)
    store.put(made.bucket, made.key, b"a poster", content_type="image/jpeg")
    (finding,) = posters([seen(as_role, asset)], store)
    assert not finding.holds
    assert "derived from" in finding.text
