"""What a store holds: objects with their versions, and multipart uploads that were begun."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event

from minio.datatypes import Object

from shared.errors import Failure
from shared.objects.errors import Transient, translated
from shared.objects.wire import Wire

TROUBLES = 8
"""Times in a row that the store may fail to list before that is told."""
_NONE = {"NoSuchUpload", "NotImplemented"}
"""rclone says the first where there is none; a store that lists no uploads says the second."""
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Listed:
    """One object, one version of it, or a mark that it was deleted (of 0 bytes); `modified` by the store's clock."""

    key: str
    version_id: str | None
    size: int
    modified: datetime


@dataclass(frozen=True)
class BegunUpload:
    """A multipart upload that was neither completed nor aborted; `begun_at` by the store's clock."""

    key: str
    upload_id: str
    begun_at: datetime


def objects(wire: Wire, bucket: str) -> Iterator[Listed]:
    """All objects of a bucket, each version where it has versions. Raises Failure while iterating."""
    with translated(bucket, ""):
        versioned = wire.quick.get_bucket_versioning(bucket).status in {"Enabled", "Suspended"}
    after: str | None = None
    troubles = 0
    while True:
        try:
            for one in _objects(wire, bucket, after, versioned=versioned):
                after, troubles = one.key, 0
                yield one
            return
        except Transient:
            # rclone answers so while somebody deletes what it lists.
            troubles += 1
            if troubles == TROUBLES:
                raise
            Event().wait(troubles * 0.25)


def _objects(wire: Wire, bucket: str, after: str | None, *, versioned: bool) -> Iterator[Listed]:
    found = wire.quick.list_objects(bucket, recursive=True, include_version=versioned, start_after=after)
    while True:
        with translated(bucket, ""):
            one = next(found, None)
        if one is None:
            return
        yield _listed(one)


def uploads(wire: Wire, bucket: str) -> Iterator[BegunUpload]:
    """The multipart uploads of a bucket, as far as the store lists any. Raises Failure while iterating."""
    key: str | None = None
    upload_id: str | None = None
    while True:
        try:
            with translated(bucket, ""):
                page = wire.quick._list_multipart_uploads(bucket, key_marker=key, upload_id_marker=upload_id)
        except Failure as failure:
            if failure.evidence.get("code") not in _NONE:
                raise
            return
        for one in page.uploads:
            yield BegunUpload(one.object_name, one.upload_id or "", one.initiated_time or _NEVER)
        if not (page.is_truncated and page.uploads):
            return
        # minio 7.2 loses the marker of the answer, which is the last upload of the page.
        key, upload_id = page.uploads[-1].object_name, page.uploads[-1].upload_id


def _listed(one: Object) -> Listed:
    return Listed(one.object_name or "", one.version_id, one.size or 0, one.last_modified or _NEVER)
