"""The trial behind `outlast doctor --trigger`: three files into the input, and events of objects that are no input."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from outlast.cli.connections import opened
from outlast.following import Read, Unsettled, follow
from outlast.publish import Producer
from outlast.submit import Input, created, put_file
from shared.errors import UsageError
from shared.messages import InputObject, IntakeEvent, ObjectCreatedEvent, task_id_of

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.doctor.scene import Scene
    from outlast.custody.doctor.triggered import Trial

ACCOUNT = "outlast-doctor"
"""Who owns the three assets; they stay."""
FILES = 3
SECONDS = 120.0
"""Until all must be complete."""


def tried(scene: "Scene") -> "Trial":
    """Put three files into the input and tell of each twice; tell of objects in assets and output too, and count tasks.

    Raises UsageError, PublishError and Failure where an address is missing or does not answer.
    """
    from outlast.custody.doctor.triggered import Trial
    from shared.db.listing import Listing, Wanted
    from shared.db.views import read_task

    if scene.database_url is None or scene.amqp_url is None:
        raise UsageError("--trigger needs OUTLAST_DATABASE_URL and OUTLAST_AMQP_URL, or the local stack.")
    began = datetime.now(UTC)
    place = Input(scene.store, scene.buckets.input, scene.input_prefix)
    with opened(scene.database_url) as database, _strays(scene) as strays, Producer(scene.amqp_url) as producer:
        events = [_event(put_file(place, ACCOUNT, file), file.name) for file in _files()]
        # Those that are no input first: once the others are complete, they have been looked at.
        for event in (*strays.values(), *events, *events):
            producer.publish(event, account=ACCOUNT)
        read = partial(read_task, database)
        states = _ends(read, list(map(_task_id, events)))
        found = Listing(database, Wanted(account=ACCOUNT, since=began)).page(10 * FILES).tasks
        stray = [bucket for bucket, event in strays.items() if read(_task_id(event)) is not None]
    return Trial(states, len(found), stray)


def _ends(read: Read, tasks: list[UUID]) -> list[str]:
    """How each task stands when all have ended, or after `SECONDS`."""
    states, until = dict.fromkeys(tasks, "unseen"), time.monotonic() + SECONDS
    try:
        for task in follow(read, tasks, give_up=lambda: time.monotonic() > until):
            states[task.task_id] = task.state
    except Unsettled:
        pass
    return list(states.values())


def _files() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            file = Path(folder, f"doctor-{number}.txt")
            file.write_text(f"A trial of the doctor, {uuid4()}.\n", encoding="utf-8")
            yield file


@contextmanager
def _strays(scene: "Scene") -> "Iterator[dict[str, IntakeEvent]]":
    """Events of objects that lie in the assets and in the output while the block lasts."""
    from outlast.custody.doctor.scratch import clear
    from shared.objects.behaviour import put

    events, key = {}, scene.key(f"{ACCOUNT}/stray.txt")
    try:
        for bucket in (scene.buckets.assets, scene.buckets.output):
            put(scene.store, bucket, key, [])
            head = scene.store.stat(bucket, key)
            version, etag = (head.version_id, head.etag) if head else (None, None)
            events[bucket] = _event(InputObject(bucket=bucket, key=key, version_id=version, etag=etag), "stray.txt")
        yield events
    finally:
        clear(scene)


def _event(told: InputObject, name: str) -> IntakeEvent:
    return created(told, account=ACCOUNT, name=name, kind="text")


def _task_id(event: IntakeEvent) -> UUID:
    if not isinstance(event, ObjectCreatedEvent):
        raise AssertionError("this is what was made")
    return task_id_of(ACCOUNT, event.data)
