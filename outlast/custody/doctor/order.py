"""The checks in their order; the list is what the doctor looks at."""

from collections.abc import Callable, Collection, Iterator

from outlast.custody.doctor import (
    access,
    broker,
    clocks,
    conditions,
    database,
    lifecycle,
    multipart,
    objects,
    roles,
    services,
)
from outlast.custody.doctor import scratch as scratched
from outlast.custody.doctor.finding import Check, Finding, error, note
from outlast.custody.doctor.scene import NotTold, Scene
from shared.errors import Failure, UsageError
from shared.objects import NotThere

Look = Callable[[Scene], Finding]
"""A check; it may raise NotTold, NotThere, Failure and UsageError where it comes to no end."""

GROUPS: dict[str, tuple[Look, ...]] = {
    "buckets": (
        access.buckets_exist,
        access.buckets_differ,
        lifecycle.lifecycle_spares_input,
        lifecycle.lifecycle_spares_staging,
        lifecycle.lifecycle_spares_assets,
        access.encryption,
    ),
    "objects": (
        objects.write_read_delete,
        objects.sizes,
        objects.user_metadata,
        objects.content_md5,
        objects.sha256_checksum,
    ),
    "conditions": (
        conditions.conditional_put,
        conditions.copy_condition,
        conditions.versions,
        conditions.copy_by_version,
    ),
    "multipart": (multipart.multipart_upload, multipart.multipart_abort, multipart.multipart_completed_twice),
    "access": (access.strangers_read, access.strangers_list, access.link_works_and_ends, roles.rights_of_roles),
    "clocks": (clocks.clock_of_store, clocks.clock_of_database),
    "database": (database.schema_version, database.database_roles, database.database_grants),
    "broker": (broker.exchanges_and_queues, broker.consumers),
    "services": (services.services_ready, services.keyring),
    "scratch": (scratched.scratch_is_gone,),
}
LOOKS = {Check(look.__name__.replace("_", "-"), group): look for group, looks in GROUPS.items() for look in looks}
CHECKS = tuple(LOOKS)


def examined(scene: Scene, only: Collection[str] = ()) -> Iterator[tuple[Check, Finding]]:
    """Each check with what it found, in their order; `only` names checks or groups. Raises UsageError for no name."""
    known = {*GROUPS, *(check.name for check in CHECKS)}
    if unknown := sorted(set(only) - known):
        raise UsageError(
            f"There is no check {', '.join(unknown)}. There are: {', '.join(check.name for check in CHECKS)}."
        )
    for check, look in LOOKS.items():
        if not only or check.name in only or check.group in only:
            yield check, _found(look, scene)


def _found(look: Look, scene: Scene) -> Finding:
    """What a check found; where it came to no end, that is the finding."""
    try:
        return look(scene)
    except NotTold as lack:
        return note("Not looked at.", f"To have it looked at, {lack}.")
    except NotThere:
        return error("An object that was just written is not there.", "No bytes are safe there: mend the store.")
    except Failure as failure:
        evidence = " ".join(
            str(failure.evidence[name]) for name in ("status", "code", "error") if failure.evidence.get(name)
        )
        seen = f"It came to no end: {failure.reason}{f' ({evidence})' if evidence else ''}."
        return error(seen, f"{failure.reason.rule.sentence} Mend that first.")
    except UsageError as wrong:
        return error("It came to no end.", str(wrong))
