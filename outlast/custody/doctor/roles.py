"""What the key of each role may do at the store, and what it must not."""

from outlast.custody.doctor.finding import Finding, error, ok, warning
from outlast.custody.doctor.scene import NotTold, Scene
from outlast.custody.doctor.scratch import clear
from shared.objects import Store
from shared.objects.behaviour import put

Right = tuple[str, str]
"""A request (GET, PUT, DELETE) and the bucket by what it is for."""

NEEDED: dict[str, tuple[Right, ...]] = {
    "uploader": (("PUT", "input"),),
    "downloader": (("GET", "input"), ("PUT", "staging")),
    "verifier": (("GET", "staging"),),
    "promoter": (("GET", "staging"), ("GET", "assets"), ("PUT", "assets")),
    "processor": (("GET", "assets"), ("PUT", "output")),
    "sweeper": (("DELETE", "staging"),),
}
"""Without these a role does not work."""

FORBIDDEN: dict[str, tuple[Right, ...]] = {
    "uploader": (("PUT", "staging"), ("PUT", "assets"), ("GET", "assets")),
    "downloader": (("PUT", "assets"), ("PUT", "input"), ("GET", "assets")),
    "verifier": (("PUT", "staging"), ("PUT", "assets")),
    "promoter": (("PUT", "staging"), ("PUT", "input"), ("DELETE", "assets")),
    "processor": (("PUT", "assets"), ("PUT", "input"), ("GET", "staging")),
    "sweeper": (("PUT", "assets"), ("PUT", "staging")),
}
"""With one of these a role that was taken over harms what it has nothing to do with."""

_WORDS = {"GET": "read", "PUT": "write", "DELETE": "delete"}


def rights_of_roles(scene: Scene) -> Finding:
    """Each role may do what it needs, and no more."""
    if not scene.roles:
        raise NotTold("give the key of a role by --role NAME=ACCESS_KEY:SECRET_FILE")
    try:
        lacks = _told(scene, NEEDED, wanted=True)
        exceeds = _told(scene, FORBIDDEN, wanted=False)
    finally:
        clear(scene)
    if lacks:
        means = "Its service stops at storage_denied: give its key these rights on the whole bucket."
        return error(f"Refused is what is needed: {'; '.join(lacks)}.", means)
    if exceeds:
        means = "Whoever takes that role over can harm other steps: give each role a key of its own with less."
        return warning(f"More than is needed: {'; '.join(exceeds)}.", means)
    return ok(f"As they should be: {', '.join(scene.roles)}.", "A role that is taken over reaches nothing else.")


def _told(scene: Scene, rights: dict[str, tuple[Right, ...]], *, wanted: bool) -> list[str]:
    return [
        f"{role} may {'not ' if wanted else ''}{_WORDS[method]} {place}"
        for role, store in scene.roles.items()
        for method, place in rights[role]
        if _may(scene, store, method, place) is not wanted
    ]


def _may(scene: Scene, store: Store, method: str, place: str) -> bool:
    bucket, key = scene.buckets.all[place], scene.key("rights")
    # There each time, as another role may have deleted it.
    put(scene.store, bucket, key, [])
    return store.ask(method, bucket, key, body=b"right" if method == "PUT" else None).good
