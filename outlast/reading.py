"""Reading an object by its reference, with the proof that the bytes are the ones that it names."""

import hashlib
import io
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, ClassVar

from outlast.asset import Reference
from outlast.trouble import told

if TYPE_CHECKING:  # needs packages that a producer does not have
    from _typeshed import WriteableBuffer

    from shared.objects import Store

CHUNK_BYTES = 2**20


class NotVerified(Exception):  # noqa: N818 (what the bytes are)
    """The bytes are not those of the reference: believe nothing of what was read. `reason` is one word."""

    reason: ClassVar[str]

    def __init__(self, ref: Reference, what: str) -> None:
        super().__init__(f"{self.reason}: s3://{ref.bucket}/{ref.key} {what}")


class ObjectTooLarge(NotVerified):
    """The reference names more bytes than the reader takes; none was read."""

    reason = "object_too_large"


class ObjectMissing(NotVerified):
    """The store has no such object or version."""

    reason = "object_missing"


class SizeMismatch(NotVerified):
    """The object has more or fewer bytes than its reference says."""

    reason = "size_mismatch"


class DigestMismatch(NotVerified):
    """The object has the right size and other bytes."""

    reason = "digest_mismatch"


class VerifiedReader(io.RawIOBase):
    """A stream of an object's bytes that proves them when its end is reached.

    `read(n)` gives up to n bytes, with up to 1 MiB held in memory. The read that would tell of the end raises
    SizeMismatch or DigestMismatch in its place; until then nothing that was read may be believed.
    """

    def __init__(self, ref: Reference, pieces: Iterator[bytes]) -> None:
        self._ref = ref
        self._pieces = pieces
        self._piece = memoryview(b"")
        self._sha256 = hashlib.sha256()
        self._count = 0
        self._proven = False

    @property
    def proven(self) -> bool:
        """Whether the end was reached and every byte was right."""
        return self._proven

    def readable(self) -> bool:
        """Always true; there is no seeking."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill a buffer as far as there are bytes at hand; 0 at the proven end."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not self._piece and not self._proven:
            self._piece = memoryview(self._next())
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._piece))
        target[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def _next(self) -> bytes:
        with told():
            piece = next(self._pieces, b"")
        self._count += len(piece)
        self._sha256.update(piece)
        if self._count > self._ref.size:
            raise SizeMismatch(self._ref, f"has more than {self._ref.size} bytes")
        if not piece:
            self._prove()
        return piece

    def _prove(self) -> None:
        if self._count < self._ref.size:
            raise SizeMismatch(self._ref, f"has {self._count} bytes, not {self._ref.size}")
        if self._sha256.hexdigest() != self._ref.sha256:
            raise DigestMismatch(self._ref, f"has the SHA-256 {self._sha256.hexdigest()}, not {self._ref.sha256}")
        self._proven = True


@contextmanager
def open_verified(ref: Reference, *, max_bytes: int, store: "Store | None" = None) -> Iterator[VerifiedReader]:
    """Read an object as a stream, by its version where it has one; see VerifiedReader for when to believe it.

    `store` is by default the one that OUTLAST_S3_* in the environment names. Raises ObjectTooLarge over
    `max_bytes` before anything is read, ObjectMissing, and Unavailable for a fault of the store.
    """
    from outlast.surroundings import store_of_environment
    from shared.objects import NotThere

    if ref.size > max_bytes:
        raise ObjectTooLarge(ref, f"has {ref.size} bytes; the limit is {max_bytes}")
    with ExitStack() as stack:
        with told():
            source = store or store_of_environment()
            try:
                pieces = stack.enter_context(source.read(ref.bucket, ref.key, ref.version_id))
            except NotThere:
                raise ObjectMissing(ref, "is not there") from None
        yield stack.enter_context(VerifiedReader(ref, pieces))


def copy_verified(ref: Reference, file: IO[bytes], *, max_bytes: int, store: "Store | None" = None) -> None:
    """Copy an object into a file and return only when it is proven; else the file is as long as it was.

    Begins at the file's position and ends behind the copy. Raises as `open_verified` and VerifiedReader do.
    """
    start = file.tell()
    try:
        with open_verified(ref, max_bytes=max_bytes, store=store) as reader:
            shutil.copyfileobj(reader, file, CHUNK_BYTES)
    except BaseException:
        file.seek(start)
        file.truncate()
        raise
