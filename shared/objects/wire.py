"""Single requests to the store, with every error translated."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from minio import Minio
from minio.credentials.credentials import Credentials
from minio.error import MinioException
from minio.helpers import DictType
from urllib3 import BaseHTTPResponse

from shared.errors import UsageError
from shared.objects.bare import Reply, answered
from shared.objects.credentials import Key
from shared.objects.errors import NotThere, is_denied, reading, translated
from shared.objects.metadata import content_md5, metadata_of
from shared.objects.pool import READ_SECONDS, SLOW_SECONDS, open_pool


@dataclass(frozen=True)
class Head:
    """What the store says about an object: `size` in bytes; an ETag only tells if it is still the same."""

    size: int
    etag: str
    version_id: str | None
    content_type: str
    metadata: Mapping[str, str]


def head_of(headers: Mapping[str, str]) -> Head:
    """The same from the headers of an answer that brings the object's bytes."""
    size, etag = int(headers.get("content-length", 0)), headers.get("etag", "").replace('"', "")
    version_id, content_type = headers.get("x-amz-version-id"), headers.get("content-type", "")
    return Head(size, etag, version_id, content_type, metadata_of(headers))


@dataclass(frozen=True)
class Uploaded:
    """An object that was written: `size` in bytes, and the version if the bucket has versions."""

    size: int
    etag: str
    version_id: str | None


Secret = str | Callable[[], str]
"""A secret key, or what reads it, again when the store refuses it."""


class _Client(Minio):
    """A client that asks once more when its key was refused and the secret has been changed meanwhile."""

    def _url_open(self, *arguments: Any, **options: Any) -> BaseHTTPResponse:
        key = self._provider
        if not isinstance(key, Key):
            return super()._url_open(*arguments, **options)
        used = key.retrieve()
        try:
            return super()._url_open(*arguments, **options)
        except MinioException as error:
            if not (is_denied(error) and key.renewed(used)):
                raise
        return super()._url_open(*arguments, **options)


class _Bulk(_Client):
    """A client that sends a body under the digest its caller gives, and without one where none is given."""

    def _build_headers(
        self,
        host: str,
        headers: DictType | None = None,
        body: bytes | None = None,
        creds: Credentials | None = None,
    ) -> tuple[DictType, datetime]:
        built, date = super()._build_headers(host, headers, None, creds)
        return {**built, "Content-Length": str(len(body or b"")), "x-amz-content-sha256": "UNSIGNED-PAYLOAD"}, date


class Wire:
    """The client of one store: `bulk` for bodies of objects, `slow` for what is answered late, `quick` for the rest."""

    def __init__(self, endpoint: str, region: str, access_key: str, secret_key: Secret) -> None:
        """Connects to nothing yet. Raises UsageError if the endpoint is not a plain base URL."""
        parts = urlsplit(endpoint)
        plain = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
            raise UsageError("The S3 endpoint must be http(s)://HOST[:PORT], with nothing after it.")
        secret = secret_key if callable(secret_key) else lambda: secret_key
        key = Key(access_key, secret) if access_key else None
        quick, slow = open_pool(READ_SECONDS), open_pool(SLOW_SECONDS)
        self.quick, self.slow, self.bulk = (
            kind(
                parts.netloc,
                credentials=key,
                secure=parts.scheme == "https",
                region=region,
                http_client=pool,
            )
            for kind, pool in ((_Client, quick), (_Client, slow), (_Bulk, quick))
        )

    def head(self, bucket: str, key: str, version_id: str | None) -> Head | None:
        """What the store says about the object; None if it is not there. Raises Failure."""
        try:
            with reading(bucket, key):
                found = self.quick.stat_object(bucket, key, version_id=version_id)
        except NotThere:
            return None
        metadata = metadata_of(cast(Mapping[str, str], found.metadata))
        return Head(found.size or 0, found.etag or "", found.version_id, found.content_type or "", metadata)

    def link(self, bucket: str, key: str, version_id: str | None, seconds: int) -> str:
        """A signed GET of the object; asks the store nothing."""
        return self.quick.presigned_get_object(bucket, key, timedelta(seconds=seconds), version_id=version_id)

    @contextmanager
    def get(self, bucket: str, key: str, version_id: str | None) -> Iterator[BaseHTTPResponse]:
        """The open answer to a GET. Raises NotThere or Failure."""
        with reading(bucket, key):
            response = self.quick.get_object(bucket, key, version_id=version_id)
        try:
            yield response
        finally:
            response.close()

    def put(self, bucket: str, key: str, headers: Mapping[str, str], data: bytes | memoryview) -> Uploaded:
        """Write an object in one request; the same bytes may be written again. Raises Failure."""
        body = cast(bytes, data)  # any buffer will do, and a copy would cost memory
        with translated(bucket, key):
            written = self.bulk._put_object(
                bucket, key, body, cast(DictType, {**headers, "Content-MD5": content_md5(data)})
            )
        return Uploaded(len(data), written.etag or "", written.version_id)

    def ask(
        self,
        method: str,
        bucket: str,
        key: str | None,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """One request as it is, and the answer as it is, a refusal too. Raises Failure where none comes."""
        given, asked = cast(DictType, dict(headers or {})), cast(DictType, dict(query or {}))
        return answered(lambda: self.bulk._execute(method, bucket, key, body, given, asked), bucket, key or "")
