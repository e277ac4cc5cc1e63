"""Single objects: do they come back as they went in, and does the store notice changed bytes."""

import hashlib
from base64 import b64encode

from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import Scene
from shared.objects.behaviour import put, removed

SIZES = (0, 1, 64 * 1024 + 1, 2**20)
"""In bytes: none, one, over a common block, and a whole piece of our reads."""
NAMES = {"sha256": "0" * 64, "display-name": "Ein Föhn, 100 %.mp4"}
BODY = b"outlast"


def write_read_delete(scene: Scene) -> Finding:
    """An object is written, read back and deleted."""
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("one")
    with removed(store, bucket) as written:
        version = put(store, bucket, key, written, BODY).headers.get("x-amz-version-id")
        if store.digest(bucket, key).sha256 != hashlib.sha256(BODY).hexdigest():
            return error("An object reads back with other bytes.", "No bytes are safe there: use another store.")
        store.delete(bucket, key, version)
        if store.stat(bucket, key) is not None:
            return error("An object is there after its deletion.", "Staging would never get empty: mend the store.")
    return ok("An object was written, read back and deleted.", "Captures can be kept, and swept.")


def sizes(scene: Scene) -> Finding:
    """Objects of several sizes come back whole, and the store tells their size."""
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("sized")
    for size in SIZES:
        body = b"\xa5" * size
        with removed(store, bucket) as written:
            put(store, bucket, key, written, body)
            head, found = store.stat(bucket, key), store.digest(bucket, key)
        if head is None or (head.size, found.size) != (size, size):
            told = "none" if head is None else f"{head.size:,}"
            seen = f"Of {size:,} bytes the store tells {told} and gives {found.size:,}."
            return error(seen, "Captures fail as staging_corrupt: look for what rewrites bodies in front of the store.")
    return ok(f"Objects of {', '.join(f'{size:,}' for size in SIZES)} bytes came back whole.", "Sizes can be trusted.")


def user_metadata(scene: Scene) -> Finding:
    """User metadata is kept, beyond ASCII too, as Outlast writes it."""
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("named")
    with removed(store, bucket) as written:
        store.put(bucket, key, BODY, content_type="video/mp4", metadata=NAMES)
        written.append((key, None))
        head = store.stat(bucket, key)
        written.append((key, head.version_id if head else None))
    if head is None or any(head.metadata.get(name) != value for name, value in NAMES.items()):
        means = "Nothing is lost in the database, but an upload whose answer was lost cannot be told from another's."
        return error("User metadata does not come back as it was written.", means)
    if head.content_type != "video/mp4":
        return warning("The content type does not come back.", "Whoever follows a link to an asset sees another type.")
    return ok("User metadata and content type came back.", "Objects tell their digest and their task.")


def content_md5(scene: Scene) -> Finding:
    """A body that does not match its Content-MD5 is refused."""
    wrong = b64encode(hashlib.md5(b"other", usedforsecurity=False).digest()).decode()
    if _refuses(scene, {"Content-MD5": wrong}):
        return ok("A wrong Content-MD5 was refused.", "Bytes that change on their way are noticed at once.")
    return note(
        "A wrong Content-MD5 was ignored.",
        "Bytes that change on their way are noticed only when they are read back, which Outlast always does.",
    )


def sha256_checksum(scene: Scene) -> Finding:
    """A body that does not match its x-amz-checksum-sha256 is refused, or the header ignored."""
    wrong = b64encode(hashlib.sha256(b"other").digest()).decode()
    if _refuses(scene, {"x-amz-checksum-sha256": wrong, "x-amz-sdk-checksum-algorithm": "SHA256"}):
        return ok("A wrong SHA-256 checksum was refused.", "Outlast does not rely on it, but other clients may.")
    return note(
        "A wrong SHA-256 checksum was ignored.",
        "Nothing to do: Outlast keeps its own SHA-256 and reads back; let no other program trust the header here.",
    )


def _refuses(scene: Scene, headers: dict[str, str]) -> bool:
    store, bucket, key = scene.store, scene.buckets.staging, scene.key("digested")
    with removed(store, bucket) as written:
        reply = store.ask("PUT", bucket, key, headers=headers, body=BODY)
        if reply.good:
            written.append((key, reply.headers.get("x-amz-version-id")))
    return not reply.good
