"""One leased run of a processor on one asset: its input, its lease, and the one end it may record."""

import re
from types import TracebackType
from typing import IO, Self

from outlast.asset import Asset
from outlast.lease import Lease
from outlast.outcome import Finished, Outcome
from outlast.reading import NotVerified, copy_verified
from outlast.result import Body, Place
from outlast.trouble import Unavailable, told
from shared.errors import LeaseLost, UsageError
from shared.redaction import redact

DETAIL_CHARACTERS = 500
_WORD = re.compile(r"[a-z0-9_]{1,64}")


class Run:
    """The right to work on an asset, kept by a thread of its own for as long as the `with` block lasts.

    It ends with `complete`, `reject` or `fail`. A block that ends without one of these gives the lease back: an
    exception of the work itself counts as a try, Unavailable and the stop of the process do not. Every method
    raises LeaseLost once the lease is somebody else's, and Unavailable while the store or the database is away.
    """

    def __init__(self, lease: Lease, place: Place, tries: int) -> None:
        """`tries`: earlier runs that ended with an error of their own, or vanished."""
        self.asset: Asset = place.asset
        self.epoch, self.tries = lease.epoch, tries
        self._lease, self._place = lease, place

    def __enter__(self) -> Self:
        self._lease.keep()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._lease.is_over and not isinstance(error, LeaseLost):
            self._give_back(error)
        self._lease.leave()

    def check(self) -> None:
        """Raises LeaseLost as soon as the lease is known to be lost; cheap, for the loop of a long step."""
        self._lease.check()

    def fetch(self, file: IO[bytes], *, max_bytes: int) -> None:
        """Copy the proven asset into a file, go back to its start, and record that the work begins.

        Raises NotVerified: ObjectTooLarge, ObjectMissing, SizeMismatch, DigestMismatch.
        """
        start = file.tell()
        copy_verified(self.asset, file, max_bytes=max_bytes, store=self._place.store)
        file.seek(start)
        self._lease.act("processing_validated")

    def complete(self, body: Body, *, content_type: str) -> Finished:
        """Put the result at its key, read it back, and record it; `body` is bytes or the path of a file."""
        self._lease.renew()
        with told():
            result = self._place.put(body, content_type)
        return self._end(Finished(Outcome.COMPLETED, result))

    def reject(self, reason: str, detail: str = "") -> Finished:
        """Record that this asset is not for this processor, for ever: no fault of ours. `reason` is one word."""
        return self._end(Finished(Outcome.REJECTED, None, reason, detail))

    def fail(self, reason: str, detail: str = "") -> Finished:
        """Record that this version of the processor cannot do it, and must not try again. `reason` is one word."""
        return self._end(Finished(Outcome.FAILED, None, reason, detail))

    def adopt(self) -> Finished | None:
        """Record the result that an earlier run put and did not record; None if there is none."""
        try:
            with told():
                result = self._place.find()
            return self._end(Finished(Outcome.COMPLETED, result, adopted=True)) if result else None
        except Unavailable as error:
            self._give_back(error)
            raise

    def _end(self, end: Finished) -> Finished:
        if end.reason is not None and not _WORD.fullmatch(end.reason):
            raise UsageError("A reason is one word of small letters, digits and _, for example no_usable_frame.")
        result = end.result
        self._lease.end(
            state=str(end.outcome),
            reason=end.reason,
            detail=_shown(end.detail),
            bucket=result and result.bucket,
            key=result and result.key,
            result_version=result and result.version_id,
            size=result and result.size,
            result_sha256=result and result.sha256,
            content_type=result and result.content_type,
        )
        return end

    def _give_back(self, error: BaseException | None) -> None:
        if error is None:
            self._lease.release("no_end", "the run ended without a word", tries=1)
        elif isinstance(error, Unavailable):
            self._lease.release(error.reason, None, tries=0)
        elif isinstance(error, Exception):
            word = error.reason if isinstance(error, NotVerified) else type(error).__name__
            self._lease.release(word, _shown(str(error)), tries=1)
        else:
            self._lease.release("stopped", None, tries=0)


def _shown(detail: str | None) -> str | None:
    """The text as it may be kept: short, and without anything that opens a door."""
    return redact(detail)[:DETAIL_CHARACTERS].replace("\0", "") if detail else None
