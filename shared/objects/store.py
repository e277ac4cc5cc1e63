"""The object store: whole objects in and out, streaming, with errors in our own words."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from urllib3 import BaseHTTPResponse

from shared.objects.bare import Reply
from shared.objects.budget import BYTES_IN_FLIGHT, PartBudget
from shared.objects.buffers import Buffers
from shared.objects.copying import COPY_LIMIT, Copier, Source
from shared.objects.errors import NotThere, refused, translated
from shared.objects.listing import BegunUpload, Listed, objects, uploads
from shared.objects.metadata import headers_of
from shared.objects.multipart import abort
from shared.objects.patience import patiently
from shared.objects.sending import Begun
from shared.objects.upload import Upload
from shared.objects.wire import Head, Secret, Wire, head_of

CHUNK_BYTES = 2**20
"""Size of the pieces in which objects are read."""

_NOTHING: Mapping[str, str] = {}
_BINARY = "application/octet-stream"


@dataclass(frozen=True)
class Stored:
    """What an object holds, found by reading all of it: `size` in bytes, `sha256` in hex."""

    size: int
    sha256: str
    version_id: str | None
    etag: str


@dataclass(frozen=True)
class Store:
    """One S3 service under one key; thread-safe.

    Every method raises Failure (storage_unavailable, storage_denied, storage_full) for a fault of the store.
    """

    part_bytes: int
    _wire: Wire = field(repr=False)
    _copier: Copier = field(repr=False)
    _budget: PartBudget = field(repr=False)

    @classmethod
    def open(
        cls,
        endpoint: str,
        region: str,
        access_key: str,
        secret_key: Secret,
        *,
        part_bytes: int,
        bytes_in_flight: int = BYTES_IN_FLIGHT,
        copy_limit: int = COPY_LIMIT,
    ) -> Self:
        """A store at a base URL; connects to nothing yet.

        `secret_key` may be what reads it: it is read again when the store refuses it. `part_bytes` is the size of
        one part of an upload, and `bytes_in_flight` the most bytes of parts that all uploads hold together, though
        each may always hold one part; `copy_limit` is the most bytes copied in one request.
        Raises UsageError if the endpoint is wrong.
        """
        wire = Wire(endpoint, region, access_key, secret_key)
        return cls(part_bytes, wire, Copier(wire, copy_limit), PartBudget(bytes_in_flight // part_bytes))

    def upload(
        self,
        bucket: str,
        key: str,
        *,
        content_type: str = _BINARY,
        metadata: Mapping[str, str] = _NOTHING,
        begun: Begun | None = None,
    ) -> Upload:
        """Begin to write an object of unknown length; nothing is sent before the first part is full.

        `begun` is called once, on a thread of the upload's own, with the store's id of the multipart upload when
        there is one. A Failure that it raises is logged and changes nothing; anything else ends the upload.
        """
        buffers = Buffers(self._budget, self.part_bytes)
        return Upload(self._wire, bucket, key, content_type, metadata, buffers, begun)

    @contextmanager
    def read(self, bucket: str, key: str, version_id: str | None = None) -> Iterator[Iterator[bytes]]:
        """The bytes of an object as they are stored, in pieces of 1 MiB at most.

        Raises NotThere; a body that ends early is a Failure while iterating.
        """
        with self.opened(bucket, key, version_id) as (_, pieces):
            yield pieces

    @contextmanager
    def opened(self, bucket: str, key: str, version_id: str | None = None) -> Iterator[tuple[Head, Iterator[bytes]]]:
        """What the store says of an object in the same answer that brings its bytes, and these as `read` does."""
        with self._wire.get(bucket, key, version_id) as response:
            yield head_of(response.headers), _pieces(response, bucket, key)

    def digest(self, bucket: str, key: str, version_id: str | None = None) -> Stored:
        """Read all of an object and hash it. Raises NotThere."""
        sha256, size = hashlib.sha256(), 0
        with self._wire.get(bucket, key, version_id) as response:
            for piece in _pieces(response, bucket, key):
                sha256.update(piece)
                size += len(piece)
            headers = response.headers
        etag = headers.get("etag", "").replace('"', "")
        return Stored(size, sha256.hexdigest(), headers.get("x-amz-version-id"), etag)

    def stat(self, bucket: str, key: str, version_id: str | None = None) -> Head | None:
        """What the store says about an object; None if it, or its bucket, is not there."""
        return self._wire.head(bucket, key, version_id)

    def link(self, bucket: str, key: str, version_id: str | None = None, *, seconds: int) -> str:
        """A link to an object that anybody may follow for so many seconds: a credential, for no log and no row."""
        return self._wire.link(bucket, key, version_id, seconds)

    def copy(
        self,
        source: Source,
        bucket: str,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        size: int | None = None,
        if_match: str | None = None,
    ) -> str | None:
        """Copy an object (bucket, key, version) inside the store, with new metadata; returns the new version.

        `size` in bytes saves a request if it is known. Raises NotThere without the source; with `if_match`, also
        where a store that honours conditions has an object of another ETag there (Changed). After a
        storage_unavailable the copy may be there all the same: look.
        """
        if size is None:
            head = self.stat(*source)
            if head is None:
                raise NotThere(*source[:2])
            size = head.size
        return self._copier.copy(source, size, bucket, key, headers_of(content_type, metadata), if_match)

    def put(
        self, bucket: str, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str] = _NOTHING
    ) -> None:
        """Write a small object at once."""
        patiently()(self._wire.put, bucket, key, headers_of(content_type, metadata), body)

    def delete(self, bucket: str, key: str, version_id: str | None = None) -> None:
        """Delete an object, or one version of it; one that is not there is fine."""
        try:
            with translated(bucket, key):
                self._wire.quick.remove_object(bucket, key, version_id)
        except NotThere:
            return

    def ask(self, method: str, bucket: str, key: str | None = None, **told: Any) -> Reply:
        """One request as it is, with its answer as it is; `told` are headers, query and body (`Wire.ask`)."""
        return self._wire.ask(method, bucket, key, **told)

    def listed(self, bucket: str) -> Iterator[Listed]:
        """All objects of a bucket by key, each version where it has versions; asks for more while iterating."""
        return objects(self._wire, bucket)

    def begun_uploads(self, bucket: str) -> Iterator[BegunUpload]:
        """The multipart uploads that were begun and not ended; some stores list none."""
        return uploads(self._wire, bucket)

    def abort(self, bucket: str, key: str, upload_id: str) -> bool:
        """Have the store forget a multipart upload; False if it knows no such upload."""
        return abort(self._wire, bucket, key, upload_id)

    def ensure_bucket(self, bucket: str) -> None:
        """Make the bucket unless it is there."""
        with translated(bucket, ""):
            if not self._wire.quick.bucket_exists(bucket):
                self._wire.quick.make_bucket(bucket)

    def check(self, *buckets: str) -> None:
        """Return if the store answers and has each bucket; a missing bucket is a storage_denied."""
        for bucket in buckets:
            with translated(bucket, ""):
                there = self._wire.quick.bucket_exists(bucket)
            if not there:
                raise refused(bucket, "", 404, "NoSuchBucket")


def _pieces(response: BaseHTTPResponse, bucket: str, key: str) -> Iterator[bytes]:
    piece = b" "
    while piece:
        with translated(bucket, key):
            # Never decoded: a Content-Encoding is the uploader's word, and the stored bytes are what counts.
            piece = response.read(CHUNK_BYTES, decode_content=False)
        if piece:
            yield piece
