"""Conditions and versions: what the store does with an ETag, and whether a version pins the bytes."""

from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import Scene
from shared.errors import Failure
from shared.objects import NotThere
from shared.objects.behaviour import Answer, copy_conditions, put, put_conditions, removed


def conditional_put(scene: Scene) -> Finding:
    """What the store does with `If-None-Match: *` on a put."""
    answer = put_conditions(scene.store, scene.buckets.assets, scene.prefix)
    if answer is Answer.HONOURED:
        return ok(
            "If-None-Match was honoured.", "Other writers can be kept from overwriting; Outlast needs it nowhere."
        )
    return note(
        f"If-None-Match was {answer}.",
        "Nothing to do: each claim and each digest has a key of its own, so Outlast relies on no conditional put.",
    )


def copy_condition(scene: Scene) -> Finding:
    """What the store does with a stale ETag in x-amz-copy-source-if-match."""
    answer = copy_conditions(scene.store, scene.buckets.assets, scene.prefix)
    if answer is Answer.HONOURED:
        means = (
            "The promoter conditions its copies, so that a staged object that was replaced is told before it is copied."
        )
        return ok("A copy under a stale ETag was refused, and one under the right ETag done.", means)
    return note(
        f"The condition on a copy was {answer}.",
        "The promoter copies by version, else without a condition, and proves each copy by reading it back.",
    )


def versions(scene: Scene) -> Finding:
    """Whether the assets bucket has versions."""
    reply = scene.store.ask("GET", scene.buckets.assets, query={"versioning": ""})
    if "<Status>Enabled</Status>" in reply.body:
        return ok("The assets bucket has versions.", "An asset that somebody overwrites or deletes can be had back.")
    if reply.good or reply.status == 501 or reply.code == "NotImplemented":
        return warning(
            "The assets bucket has no versions.",
            "Who may write there can overwrite an asset for good: switch versions on, or keep copies elsewhere.",
        )
    return note(f"The store does not tell ({reply.spoken}).", "Ask its administrator whether the bucket has versions.")


def copy_by_version(scene: Scene) -> Finding:
    """A copy by version brings that version's bytes, not the newest ones."""
    store, bucket = scene.store, scene.buckets.assets
    source, copy = scene.key("twice"), scene.key("twice-copy")
    with removed(store, bucket) as written:
        first = put(store, bucket, source, written, b"first").headers.get("x-amz-version-id")
        put(store, bucket, source, written, b"other")
        if not first or first == "null":
            return note(
                "There are no versions to copy by.", "The proof of a copy is that it is read back; nothing to do."
            )
        try:
            version = store.copy((bucket, source, first), bucket, copy, content_type="text/plain", metadata={})
            written.append((copy, version))
            with store.read(bucket, copy) as pieces:
                right = b"".join(pieces) == b"first"
        except (Failure, NotThere):
            return error("A copy by version fails.", "No asset can be placed: mend the store, or switch versions off.")
    if not right:
        return error("A copy by version brings other bytes.", "Each copy ends as copy_mismatch: mend the store.")
    return ok("A copy by version brought that version's bytes.", "What was proven is what is copied.")
