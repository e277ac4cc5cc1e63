"""The upload of one object of unknown length, in bounded memory and with back-pressure."""

from collections.abc import Mapping
from functools import partial
from types import TracebackType
from typing import Self
from uuid import uuid4

from shared.errors import Failure
from shared.objects.buffers import Buffers
from shared.objects.errors import Transient
from shared.objects.metadata import headers_of
from shared.objects.multipart import Multipart
from shared.objects.patience import patiently
from shared.objects.sending import Begun, Sender
from shared.objects.wire import Uploaded, Wire
from shared.reasons import Reason

_MARK = "outlast-upload"
_NO_BUFFER = memoryview(b"")


class Upload:
    """One object being written: up to three parts in memory, all on their way or one of them filling.

    A body of up to one part is a single put. Leaving it as a context manager aborts it unless it is complete;
    its memory is given back when it is complete or aborted. For one thread at a time.
    """

    def __init__(
        self,
        wire: Wire,
        bucket: str,
        key: str,
        content_type: str,
        metadata: Mapping[str, str],
        buffers: Buffers,
        begun: Begun | None,
    ) -> None:
        self._wire, self._bucket, self._key = wire, bucket, key
        # The mark proves, after an answer was lost, that an object at this key is this upload's.
        self._token = uuid4().hex
        self._headers = headers_of(content_type, {**metadata, _MARK: self._token})
        self._buffers = buffers
        self._begun = begun
        self._filling = _NO_BUFFER
        self._filled = 0
        self._size = 0
        self._sender: Sender | None = None
        self._uploaded: Uploaded | None = None

    @property
    def upload_id(self) -> str | None:
        """The store's id of the multipart upload, once it has begun; None for a small body."""
        return self._sender.upload_id if self._sender else None

    def write(self, data: bytes | memoryview) -> None:
        """Add bytes; waits while as many parts are on their way as the budget allows.

        Raises Failure, perhaps of an earlier part: then only `abort` is left to call.
        """
        if self._sender:
            self._sender.check()
        rest = memoryview(data)
        while len(rest):
            if self._filled == len(self._filling):
                self._hand_over()
                self._filling = self._sender.next_buffer() if self._sender else self._buffers.first()
            piece = rest[: len(self._filling) - self._filled]
            self._filling[self._filled : self._filled + len(piece)] = piece
            self._filled += len(piece)
            self._size += len(piece)
            rest = rest[len(piece) :]

    def complete(self) -> Uploaded:
        """Make the object of all bytes written. Raises Failure: then the object may or may not be there."""
        if self._uploaded is None:
            if self._sender:
                self._hand_over()
                self._sender.wait()
            self._uploaded = patiently()(self._settle)
            if self._sender:
                self._sender.close()
            self._give_back()
        return self._uploaded

    def abort(self) -> None:
        """Leave no part behind. Never raises, may be called again, and does nothing after `complete`."""
        if self._uploaded is None:
            if self._sender:
                self._sender.abort()
            self._give_back()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()

    def _hand_over(self) -> None:
        if not self._filled:
            return
        # Not a closure over `self`: in a cycle the buffers would stay until the garbage collector comes by.
        begin = partial(Multipart, self._wire, self._bucket, self._key, self._headers)
        self._sender = self._sender or Sender(begin, self._begun, self._buffers)
        self._sender.give(self._filling, self._filled)
        self._filling, self._filled = _NO_BUFFER, 0

    def _give_back(self) -> None:
        self._filling, self._filled = _NO_BUFFER, 0
        self._buffers.close()

    def _settle(self) -> Uploaded:
        """Finish; after a bad answer look before it is repeated, as a completion may not be repeatable."""
        try:
            with self._buffers.budget.listening():
                return self._finish()
        except Failure:
            found = self._find(None)
            if found is None:
                raise
            return found

    def _finish(self) -> Uploaded:
        if self._sender is None:
            return self._wire.put(self._bucket, self._key, self._headers, self._filling[: self._filled])
        # Some stores answer with an ETag unlike all later ones: only a look gives the lasting one.
        found = self._find(self._sender.complete())
        if found is None:
            evidence = {"bucket": self._bucket, "object": self._key, "error": "not there after its completion"}
            raise Transient(Reason.STORAGE_UNAVAILABLE, evidence)
        return found

    def _find(self, version_id: str | None) -> Uploaded | None:
        head = self._wire.head(self._bucket, self._key, version_id)
        if head is None or head.size != self._size or head.metadata.get(_MARK) != self._token:
            return None
        return Uploaded(head.size, head.etag, head.version_id)
