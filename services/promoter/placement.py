"""The act of the promoter: proven bytes at their durable key, read back and hashed, with their facts beside them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from shared.errors import Failure
from shared.keys import facts_key
from shared.objects import Changed, NotThere, Store, Stored
from shared.reasons import Reason


@dataclass(frozen=True)
class Placement:
    """What to place where: `source` is bucket, key and version; `size` in bytes; `sha256` is H2 in hex."""

    source: tuple[str, str, str | None]
    bucket: str
    key: str
    size: int
    sha256: str
    content_type: str
    metadata: Mapping[str, str]
    facts: Mapping[str, object]
    """JSON-ready, without any URL; written beside the object."""
    if_match: str | None = None
    """ETag that the source must still have, where the store heeds it."""


@dataclass(frozen=True)
class Placed:
    """The durable object; `sha256` is H3, found by reading it back, and `size` in bytes likewise."""

    bucket: str
    key: str
    version_id: str | None
    etag: str
    size: int
    sha256: str


def place(store: Store, placement: Placement) -> Placed:
    """Bring the bytes to their durable key and prove them there; may run twice, and after a stop anywhere.

    Raises Failure: staging_lost without the source, copy_mismatch if the copy reads back differently, or the
    store's own. In each case nothing but the durable key and its file of facts has been touched.
    """
    proven = _there(store, placement) or _copied(store, placement)
    store.put(placement.bucket, facts_key(placement.key), _document(placement, proven), content_type="application/json")
    return Placed(placement.bucket, placement.key, proven.version_id, proven.etag, proven.size, proven.sha256)


def _there(store: Store, placement: Placement) -> Stored | None:
    """The object at the durable key if it is there already with the right bytes."""
    head = store.stat(placement.bucket, placement.key)
    if head is None or head.size != placement.size:
        return None
    stored = _read_back(store, placement, head.version_id)
    return stored if stored and _is_right(stored, placement) else None


def _copied(store: Store, placement: Placement) -> Stored:
    try:
        version_id = _copy(store, placement)
    except Failure as failure:
        # The copy may be done and only its answer lost, so that a look decides.
        found = _there(store, placement) if failure.reason is Reason.STORAGE_UNAVAILABLE else None
        if found is None:
            raise
        return found
    stored = _read_back(store, placement, version_id)
    if stored is None or not _is_right(stored, placement):
        raise Failure(Reason.COPY_MISMATCH, _difference(placement, stored))
    return stored


def _copy(store: Store, placement: Placement) -> str | None:
    try:
        return store.copy(
            placement.source,
            placement.bucket,
            placement.key,
            content_type=placement.content_type,
            metadata=placement.metadata,
            size=placement.size,
            if_match=placement.if_match,
        )
    except NotThere as gone:
        bucket, key, version_id = placement.source
        lost = {"bucket": bucket, "object": key, "version_id": version_id}
        replaced = {"error": "another object is in its place"} if isinstance(gone, Changed) else {}
        raise Failure(Reason.STAGING_LOST, {**lost, **replaced}) from None


def _read_back(store: Store, placement: Placement, version_id: str | None) -> Stored | None:
    try:
        return store.digest(placement.bucket, placement.key, version_id)
    except NotThere:
        return None


def _is_right(stored: Stored, placement: Placement) -> bool:
    return (stored.size, stored.sha256) == (placement.size, placement.sha256)


def _difference(placement: Placement, stored: Stored | None) -> dict[str, object]:
    found = {"found_size": stored.size, "found_sha256": stored.sha256} if stored else {"found_size": None}
    expected = {"size": placement.size, "sha256": placement.sha256}
    return {"bucket": placement.bucket, "object": placement.key, **expected, **found}


def _document(placement: Placement, stored: Stored) -> bytes:
    """The file of facts; the same bytes whenever the same asset is placed."""
    place = {"bucket": placement.bucket, "key": placement.key, "version_id": stored.version_id}
    document = {"schema": 1, **place, "content_type": placement.content_type, **placement.facts}
    return json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1).encode()
