"""Whether the doctor left anything behind."""

import re
from collections.abc import Iterator

from outlast.custody.doctor.finding import Finding, ok, warning
from outlast.custody.doctor.scene import Scene

_ENTRY = re.compile(r"<(Version|DeleteMarker|Contents)>(.*?)</\1>", re.S)
_KEY, _VERSION = re.compile(r"<Key>([^<]+)</Key>"), re.compile(r"<VersionId>([^<]+)</VersionId>")


def scratch_is_gone(scene: Scene) -> Finding:
    """Nothing of the doctor's own is left in any bucket; what a check could not remove is deleted here."""
    clear(scene)
    left = [
        f"{bucket}/{scene.prefix}" for bucket in dict.fromkeys(scene.buckets.all.values()) if any(_left(scene, bucket))
    ]
    if left:
        return warning(f"Scratch objects stay in {', '.join(left)}.", "Delete them: this key may not.")
    return ok("The doctor left no object behind.", "Nothing of it is seen by anybody.")


def clear(scene: Scene) -> None:
    """Delete whatever is under the scratch prefix, every version of it. Raises Failure."""
    for bucket in dict.fromkeys(scene.buckets.all.values()):
        for key, version in _left(scene, bucket):
            scene.store.delete(bucket, key, version)


def _left(scene: Scene, bucket: str) -> Iterator[tuple[str, str | None]]:
    """Keys and versions under the scratch prefix, markers of deletions too."""
    for question in ({"versions": ""}, {"list-type": "2"}):
        reply = scene.store.ask("GET", bucket, query={**question, "prefix": scene.prefix})
        if not reply.good:
            continue
        for _, entry in _ENTRY.findall(reply.body):
            key, version = _KEY.search(entry), _VERSION.search(entry)
            if key:
                yield key[1], version[1] if version and version[1] != "null" else None
        return
