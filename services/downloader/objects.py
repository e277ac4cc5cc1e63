"""The act of the downloader for an object of the input bucket: its pinned bytes into one upload, counted and hashed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from time import monotonic
from typing import Any

from services.downloader.declared import declared_type
from services.downloader.order import Received, Sink
from shared.errors import Failure, Stopping
from shared.messages import plain_etag
from shared.objects import Head, NotThere, Store
from shared.reasons import Reason


@dataclass(frozen=True)
class ObjectOrder:
    """One object to copy: `told` has its bucket, its key, and its version_id or etag; sizes are bytes."""

    told: Mapping[str, str]
    max_bytes: int
    declared_size: int | None
    declared_sha256: str | None
    _began: float = field(default_factory=monotonic)

    def evidence(self, **seen: Any) -> dict[str, Any]:
        """Which object it was, and what was seen of it."""
        named = {name: value for name, value in self.told.items() if name != "key"}
        # Not under `key`, which is taken for a credential's name and hidden.
        return {"object": {**named, "name": self.told["key"]}, "seconds": round(monotonic() - self._began, 3), **seen}


def fetch(
    order: ObjectOrder,
    store: Store,
    sink: Sink,
    *,
    progress: Callable[[], None],
    seconds_to_stop: Callable[[], float | None],
) -> Received:
    """Stream the object of `order` into `sink`, in bounded memory.

    `progress` is called after every block; what it raises ends the copy. Raises Failure with evidence
    (source_gone where the pinned bytes are there no more), the store's own, and Stopping as soon as the process is
    asked to end, since nothing takes the object away meanwhile; whatever is raised, the sink is aborted first.
    """
    try:
        return _copied(order, store, sink, progress, seconds_to_stop)
    except NotThere:
        sink.abort()
        raise Failure(Reason.SOURCE_GONE, order.evidence(why="the store has it no more")) from None
    except BaseException:
        sink.abort()
        raise


def _copied(
    order: ObjectOrder,
    store: Store,
    sink: Sink,
    progress: Callable[[], None],
    seconds_to_stop: Callable[[], float | None],
) -> Received:
    digest, size = sha256(), 0
    with store.opened(order.told["bucket"], order.told["key"], order.told.get("version_id")) as (head, blocks):
        _check(order, head)
        for block in blocks:
            sink.write(block)
            digest.update(block)
            size += len(block)
            progress()
            if seconds_to_stop() is not None:
                raise Stopping
    if size != head.size:
        raise Failure(Reason.TRUNCATED, order.evidence(announced_bytes=head.size, stored_bytes=size))
    if order.declared_sha256 not in (None, digest.hexdigest()):
        raise Failure(Reason.DECLARED_MISMATCH, order.evidence(sha256=digest.hexdigest()))
    evidence = order.evidence(stored_bytes=size, length_proven=True, proven_by="length")
    told = declared_type([head.content_type])
    return Received(size, digest.hexdigest(), sink.complete(), "length", evidence, told)


def _check(order: ObjectOrder, head: Head) -> None:
    """Before any byte is copied: whether these are the bytes that were told of, and may be taken."""
    if "version_id" not in order.told and plain_etag(head.etag) != order.told["etag"]:
        raise Failure(Reason.SOURCE_GONE, order.evidence(why="it was overwritten", found_etag=head.etag))
    if head.size == 0:
        raise Failure(Reason.EMPTY_BODY, order.evidence())
    if head.size > order.max_bytes:
        raise Failure(Reason.TOO_LARGE, order.evidence(limit_bytes=order.max_bytes, announced_bytes=head.size))
    if order.declared_size not in (None, head.size):
        raise Failure(
            Reason.SIZE_MISMATCH, order.evidence(declared_bytes=order.declared_size, announced_bytes=head.size)
        )
