"""How a store behaves where stores differ, found by trying it on scratch objects."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from urllib.parse import quote

import structlog

from shared.errors import Failure
from shared.objects.bare import Reply
from shared.objects.store import Store

log = structlog.get_logger(__name__)

STALE = '"00000000000000000000000000000000"'
"""The ETag of no object."""
PROBED = "outlast-probe/"
"""Where a service tries the store at its start: always the same two keys, as it may not be allowed to delete."""


class Answer(StrEnum):
    """What a store does with a condition: keeps to it, goes on as if there were none, or takes no such request."""

    HONOURED = "honoured"
    IGNORED = "ignored"
    REFUSED = "refused"


Written = list[tuple[str, str | None]]
"""Keys and versions."""


def heeds_copy_conditions(store: Store, bucket: str) -> bool:
    """Whether a copy may be conditioned by the ETag of its source; False too where it could not be tried."""
    try:
        answer = copy_conditions(store, bucket, PROBED)
    except Failure as failure:
        log.warning("copy_conditions_unknown", reason=str(failure.reason))
        return False
    log.info("copy_conditions", answer=str(answer))
    return answer is Answer.HONOURED


def copy_conditions(store: Store, bucket: str, prefix: str) -> Answer:
    """What the store does with `x-amz-copy-source-if-match`: a stale ETag must be refused, and the right one taken.

    Leaves nothing under the prefix if the key may delete. Raises Failure where no object can be written.
    """
    source, copy = f"{prefix}copy-source", f"{prefix}copy"
    with removed(store, bucket) as written:
        first = put(store, bucket, source, written)

        def copied(etag: str) -> Reply:
            headers = {"x-amz-copy-source": quote(f"/{bucket}/{source}"), "x-amz-copy-source-if-match": etag}
            return _noted(store.ask("PUT", bucket, copy, headers=headers), copy, written)

        stale = copied(STALE)
        if stale.good:
            return Answer.IGNORED
        right = stale.status == 412 and copied(first.headers.get("etag", "")).good
        return Answer.HONOURED if right else Answer.REFUSED


def put_conditions(store: Store, bucket: str, prefix: str) -> Answer:
    """What the store does with `If-None-Match: *`: the second of two must be refused. Raises Failure as above."""
    key = f"{prefix}put-once"
    with removed(store, bucket) as written:
        first = _noted(store.ask("PUT", bucket, key, headers={"If-None-Match": "*"}, body=b"1"), key, written)
        if not first.good:
            return Answer.REFUSED
        second = _noted(store.ask("PUT", bucket, key, headers={"If-None-Match": "*"}, body=b"2"), key, written)
        if second.good:
            return Answer.IGNORED
        return Answer.HONOURED if second.status in {409, 412} else Answer.REFUSED


def put(store: Store, bucket: str, key: str, written: Written, body: bytes = b"outlast") -> Reply:
    """Write a scratch object and note what to remove. Raises Failure where the store refuses."""
    # First by the way of all writes, whose failures have their meaning.
    store.put(bucket, key, body, content_type="text/plain")
    written.append((key, None))
    found = store.ask("HEAD", bucket, key)
    return _noted(found, key, written)


@contextmanager
def removed(store: Store, bucket: str) -> Iterator[Written]:
    """Keys and versions that are noted in the block are deleted at its end, as far as the key may delete."""
    written: Written = []
    try:
        yield written
    finally:
        # A version alone leaves nothing behind, a key alone a marker where there are versions.
        versioned = {key for key, version in written if version}
        for key, version in dict.fromkeys(written):
            if version or key not in versioned:
                with suppress(Failure):
                    store.delete(bucket, key, version)


def _noted(reply: Reply, key: str, written: Written) -> Reply:
    if reply.good:
        written.append((key, reply.headers.get("x-amz-version-id")))
    return reply
