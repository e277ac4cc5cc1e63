"""Handing over a file: its bytes go into the input bucket, and an event names exactly those."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self
from uuid import UUID

from outlast.naming import id_of
from outlast.publish import CONFIRM_SECONDS, intake_event, publish
from outlast.surroundings import StoreVariables
from shared.errors import UsageError
from shared.keys import input_key
from shared.messages import ACCOUNT, MAX_NAME_BYTES, InputObject, IntakeEvent

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.objects import Store

SOURCE = "outlast.submit"
CHUNK_BYTES = 2**20
_SHA256 = "sha256"


@dataclass(frozen=True)
class Input:
    """Where the services look for input: a bucket of a store, and the prefix in front of each account's name."""

    store: "Store"
    bucket: str = "outlast-input"
    prefix: str = ""

    @classmethod
    def from_environment(cls) -> Self:
        """As OUTLAST_S3_*, OUTLAST_INPUT_BUCKET and OUTLAST_INPUT_PREFIX say. Raises UsageError."""
        told = _Variables.read()
        return cls(told.open(), told.input_bucket, told.input_prefix)


class _Variables(StoreVariables):
    input_bucket: str = "outlast-input"
    input_prefix: str = ""


def submit(
    file: Path | str,
    *,
    account: str,
    amqp_url: str,
    place: Input | None = None,
    timeout: float = CONFIRM_SECONDS,
    **described: Any,
) -> UUID:
    """Put a file into the input and publish its `outlast.object.created`; returns the task id.

    `place` is by default the one that the environment names. `described` are the fields of ObjectCreated beside the
    object: kind, operation_id, variant and so on. The same file again is the same object and the same event. Raises
    UsageError for a file that cannot be read or is empty, PublishError when RabbitMQ does not take the event, and
    Failure for a fault of the store.
    """
    path = Path(file)
    event = created(
        put_file(place or Input.from_environment(), account, path), account=account, name=path.name, **described
    )
    return publish(event, account=account, amqp_url=amqp_url, timeout=timeout)


def created(told: InputObject, *, account: str, name: str, **described: Any) -> IntakeEvent:
    """The event of an object in the input, called after the file `name` where `described` says nothing else.

    Raises UsageError naming the fields that are wrong.
    """
    given = {field: value for field, value in described.items() if value is not None}
    named = {"display_name": _displayed(name), "operation_id": _displayed(Path(name).stem), "output_id": "0"}
    fields = {"object": told, **named, **given}
    event = intake_event("outlast.object.created", source=SOURCE, **fields)
    return event.model_copy(update={"id": id_of(account, event)})


def put_file(
    place: Input, account: str, path: Path, on_progress: Callable[[int], None] = lambda _count: None
) -> InputObject:
    """Put a file under its account's part of the input, unless it is there already; returns what pins its bytes.

    Its key is made of its digest, so that other bytes never overwrite it. `on_progress` is told bytes as they are
    sent. Raises UsageError for a file that cannot be read, is empty, or changes meanwhile.
    """
    if not ACCOUNT.fullmatch(account):
        raise UsageError("An account is 1 to 63 lower-case letters, digits and hyphens, for example studio-7.")
    try:
        with path.open("rb") as file:
            size, sha256 = _digest(file)
            if size == 0:
                raise UsageError(f"The file {path} is empty.")
            key = input_key(place.prefix, account, sha256)
            version_id = None
            if not _is_there(place, key, size, sha256):
                file.seek(0)
                version_id = _send(place, key, file, sha256, path, on_progress)
    except OSError as error:
        raise UsageError(f"Cannot read the file {path}: {error.strerror}.") from error
    return _pinned(place, key, version_id, size, sha256)


def _digest(file: IO[bytes]) -> tuple[int, str]:
    digest = hashlib.sha256()
    while piece := file.read(CHUNK_BYTES):
        digest.update(piece)
    return file.tell(), digest.hexdigest()


def _is_there(place: Input, key: str, size: int, sha256: str) -> bool:
    head = place.store.stat(place.bucket, key)
    return head is not None and head.size == size and head.metadata.get(_SHA256) == sha256


def _send(
    place: Input, key: str, file: IO[bytes], sha256: str, path: Path, on_progress: Callable[[int], None]
) -> str | None:
    digest = hashlib.sha256()
    with place.store.upload(place.bucket, key, metadata={_SHA256: sha256}) as upload:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
            upload.write(piece)
            on_progress(len(piece))
        if digest.hexdigest() != sha256:
            raise UsageError(f"The file {path} changed while it was read. Submit it again when it is whole.")
        return upload.complete().version_id


def _pinned(place: Input, key: str, version_id: str | None, size: int, sha256: str) -> InputObject:
    """As a later stat tells it: the answer to an upload may name another ETag."""
    head = place.store.stat(place.bucket, key, version_id)
    if head is None:
        raise UsageError(f"The object {key} is gone from the bucket {place.bucket} already: what deletes there?")
    return InputObject(
        bucket=place.bucket, key=key, version_id=version_id or head.version_id, etag=head.etag, size=size, sha256=sha256
    )


def _displayed(name: str) -> str | None:
    """A file's name as far as an event may hold it."""
    told = "".join(letter for letter in name if letter.isprintable())
    while len(told.encode(errors="replace")) > MAX_NAME_BYTES:
        told = told[:-1]
    return told.encode(errors="replace").decode() or None
