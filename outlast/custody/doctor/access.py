"""Who may reach the objects: buckets, strangers, links, encryption."""

import re
from threading import Event

from outlast.custody.doctor.finding import Finding, error, note, ok, warning
from outlast.custody.doctor.scene import NotTold, Scene
from shared.objects import Store
from shared.objects.bare import follow
from shared.objects.behaviour import put, removed

LINK_SECONDS = 1
LATE_SECONDS = 5.0
"""After which a link that still works is said not to end."""
_ALGORITHM = re.compile(r"<SSEAlgorithm>([^<]{1,40})</SSEAlgorithm>")


def buckets_exist(scene: Scene) -> Finding:
    """Each bucket is there and ours to use."""
    missing = [
        f"{name} ({role}: {reply.spoken})"
        for role, name in scene.buckets.all.items()
        if not (reply := scene.store.ask("HEAD", name)).good
    ]
    if missing:
        means = "Make them, or correct OUTLAST_*_BUCKET and the key: the services stop at storage_denied without them."
        return error(f"Not to be had: {', '.join(missing)}.", means)
    return ok("All four buckets are there.", "Each step has its place.")


def buckets_differ(scene: Scene) -> Finding:
    """No two of the buckets are one."""
    names = list(scene.buckets.all.values())
    twice = sorted({name for name in names if names.count(name) > 1})
    if scene.buckets.input in twice and not scene.input_prefix:
        means = "Outputs would be captured as input, and ingest does not start: give the input a bucket or a prefix."
        return error(f"The input is kept with other things in {scene.buckets.input}.", means)
    if twice:
        means = "Rights and rules of a bucket are for all in it, unproven bytes and assets alike: give each its own."
        return warning(f"More than one thing is kept in {', '.join(twice)}.", means)
    return ok("The four buckets differ.", "No output becomes an input, and no unproven bytes lie among the assets.")


def strangers_read(scene: Scene) -> Finding:
    """Nobody without a key reads an object of ours."""
    stranger, open_buckets = _stranger(scene), []
    for bucket in dict.fromkeys(scene.buckets.all.values()):
        with removed(scene.store, bucket) as written:
            put(scene.store, bucket, scene.key("private"), written)
            if stranger.ask("GET", bucket, scene.key("private")).good:
                open_buckets.append(bucket)
    if open_buckets:
        means = "Every asset there is public to whoever knows its key: take the policy or the ACL away."
        return error(f"Anybody may read in {', '.join(open_buckets)}.", means)
    return ok("Nobody reads without a key.", "Assets are handed out by links that end, and by nothing else.")


def strangers_list(scene: Scene) -> Finding:
    """Nobody without a key lists a bucket of ours."""
    stranger = _stranger(scene)
    found = [
        b for b in dict.fromkeys(scene.buckets.all.values()) if stranger.ask("GET", b, query={"list-type": "2"}).good
    ]
    if found:
        means = "Names of accounts and operations are public: take the policy or the ACL away."
        return error(f"Anybody may list {', '.join(found)}.", means)
    return ok("Nobody lists a bucket without a key.", "The names of accounts and operations stay inside.")


def link_works_and_ends(scene: Scene) -> Finding:
    """A presigned link gives the object, and gives it no more after its time."""
    store, bucket, key = scene.store, scene.buckets.assets, scene.key("linked")
    with removed(store, bucket) as written:
        put(store, bucket, key, written)
        first = follow(store.link(bucket, key, seconds=60))
        link = store.link(bucket, key, seconds=LINK_SECONDS)
        ended = _ends(link)
    if not (first.good and first.body == "outlast"):
        return error(
            f"A link is not followed ({first.spoken}).", "Nobody can be given an asset by a link: mend the store."
        )
    if not ended:
        seen = f"A link of {LINK_SECONDS} s works {LATE_SECONDS:.0f} s later."
        return warning(seen, "Whoever was given a link keeps the asset: hand assets out by other means.")
    return ok("A link works, and ends after its time.", "Assets can be handed out by links of a short life.")


def encryption(scene: Scene) -> Finding:
    """Where a bucket is set to encrypt what it holds, an object shows it."""
    store, shown = scene.store, []
    for bucket in (scene.buckets.staging, scene.buckets.assets):
        wanted = _ALGORITHM.search(store.ask("GET", bucket, query={"encryption": ""}).body)
        if wanted:
            with removed(store, bucket) as written:
                found = put(store, bucket, scene.key("sealed"), written).headers.get("x-amz-server-side-encryption")
            if found != wanted[1]:
                seen = f"The bucket {bucket} is set to {wanted[1]}, and an object there shows {found or 'nothing'}."
                return error(seen, "Bytes may lie in the clear: mend the store before assets are kept there.")
            shown.append(f"{bucket} ({found})")
    if len(shown) == 2:
        return ok(f"Objects are encrypted in {' and '.join(shown)}.", "As the buckets are set.")
    means = "Set it on both buckets if bytes must not lie in the clear; Outlast asks for nothing by itself."
    return note(f"Encrypted by the bucket's setting: {', '.join(shown) or 'none'}.", means)


def _ends(link: str) -> bool:
    pause = Event()
    for _ in range(int(LATE_SECONDS / 0.25)):
        if not follow(link).good:
            return True
        pause.wait(0.25)
    return False


def _stranger(scene: Scene) -> Store:
    if scene.anonymous is None:
        raise NotTold("set OUTLAST_S3_ENDPOINT and its key")
    return scene.anonymous
