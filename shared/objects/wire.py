"""Single requests to the store, with every error translated."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from minio import Minio
from minio.helpers import DictType
from urllib3 import BaseHTTPResponse

from shared.errors import UsageError
from shared.objects.errors import NotThere, translated
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


@dataclass(frozen=True)
class Uploaded:
    """An object that was written: `size` in bytes, and the version if the bucket has versions."""

    size: int
    etag: str
    version_id: str | None


class Wire:
    """The client of one store: `quick` for most requests, `slow` for those that the store answers late."""

    def __init__(self, endpoint: str, region: str, access_key: str, secret_key: str) -> None:
        """Connects to nothing yet. Raises UsageError if the endpoint is not a plain base URL."""
        parts = urlsplit(endpoint)
        plain = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
            raise UsageError("The S3 endpoint must be http(s)://HOST[:PORT], with nothing after it.")
        self.quick, self.slow = (
            Minio(
                parts.netloc,
                access_key,
                secret_key,
                secure=parts.scheme == "https",
                region=region,
                http_client=open_pool(seconds),
            )
            for seconds in (READ_SECONDS, SLOW_SECONDS)
        )

    def head(self, bucket: str, key: str, version_id: str | None) -> Head | None:
        """What the store says about the object; None if it is not there. Raises Failure."""
        try:
            with translated(bucket, key):
                found = self.quick.stat_object(bucket, key, version_id=version_id)
        except NotThere:
            return None
        metadata = metadata_of(cast(Mapping[str, str], found.metadata))
        return Head(found.size or 0, found.etag or "", found.version_id, found.content_type or "", metadata)

    @contextmanager
    def get(self, bucket: str, key: str, version_id: str | None) -> Iterator[BaseHTTPResponse]:
        """The open answer to a GET. Raises NotThere or Failure."""
        with translated(bucket, key):
            response = self.quick.get_object(bucket, key, version_id=version_id)
        try:
            yield response
        finally:
            response.close()

    def put(self, bucket: str, key: str, headers: Mapping[str, str], data: bytes | memoryview) -> Uploaded:
        """Write an object in one request; the same bytes may be written again. Raises Failure."""
        body = cast(bytes, data)  # any buffer will do, and a copy would cost memory
        with translated(bucket, key):
            written = self.quick._put_object(
                bucket, key, body, cast(DictType, {**headers, "Content-MD5": content_md5(data)})
            )
        return Uploaded(len(data), written.etag or "", written.version_id)
