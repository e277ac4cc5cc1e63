"""Multipart uploads that a killed worker left: the store forgets their parts."""

from collections.abc import Generator, Iterator
from datetime import UTC, datetime

from outlast.custody.sweep.ground import FIRST, PAGE, Fate, Found, Ground, Step, failed
from outlast.custody.sweep.pages import pages
from shared.errors import Failure
from shared.keys import read_staging_key
from shared.objects import BegunUpload


def uploads(ground: Ground) -> Iterator[Found]:
    """End those that the database names, then those that the store lists: not every store lists them."""
    yield from _of_claims(ground)
    for page in pages(ground.store.begun_uploads(ground.staging_bucket), PAGE):
        yield from _of_nobody(ground, page)


def _of_claims(ground: Ground) -> Iterator[Found]:
    at, after = datetime.min.replace(tzinfo=UTC), FIRST
    while rows := ground.database.run(
        "sweep_uploads", over_before=ground.over_before, after_at=at, after_id=after, limit=PAGE
    ):
        at, after = rows[-1]["ended_at"], rows[-1]["lease_id"]
        for row in rows:
            is_gone = yield from _aborted(ground, row["staging_key"], row["upload_id"], "its claim is over")
            if is_gone:
                ground.database.one("upload_over", task_id=row["task_id"], epoch=row["epoch"])


def _of_nobody(ground: Ground, page: list[BegunUpload]) -> Iterator[Found]:
    old = [(one, read_staging_key(one.key)) for one in page if one.begun_at < ground.over_before]
    ours = [(one, key) for one, key in old if key is not None]
    rows = ground.database.run(
        "sweep_upload_names",
        task_ids=[key.task_id for _, key in ours],
        epochs=[key.epoch for _, key in ours],
        uploads=[one.upload_id for one, _ in ours],
        over_before=ground.over_before,
    )
    needed = {one.upload_id for (one, _), row in zip(ours, rows, strict=True) if row["is_needed"]}
    going = {one.upload_id for one, _ in old} - needed
    for one in page:
        if one.upload_id in going:
            yield from _aborted(ground, one.key, one.upload_id, "nobody names it")
        else:
            yield Found(Step.UPLOADS, Fate.KEPT, one.key, "needed" if one.upload_id in needed else "young")


def _aborted(ground: Ground, key: str, upload_id: str, why: str) -> Generator[Found, None, bool]:
    """Abort it and tell, but not of one that the store does not know any more; returns whether it is gone."""
    if ground.dry_run:
        yield Found(Step.UPLOADS, Fate.WOULD_GO, key, why)
        return False
    try:
        if ground.store.abort(ground.staging_bucket, key, upload_id):
            yield Found(Step.UPLOADS, Fate.DELETED, key, why)
    except Failure as failure:
        yield failed(Step.UPLOADS, key, failure)
        return False
    return True
