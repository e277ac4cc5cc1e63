"""Server-side copies, in parts where one request may not copy it all."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import cast
from urllib.parse import quote

from minio.helpers import DictType

from shared.objects.errors import Transient, translated
from shared.objects.multipart import Multipart, copied_etag
from shared.objects.patience import patiently
from shared.objects.wire import Wire
from shared.reasons import Reason

COPY_LIMIT = 5 * 2**30
"""Most bytes that S3 copies in one request."""

Source = tuple[str, str, str | None]
"""Bucket, key and version of what is copied."""


class Copier:
    """Copies objects inside one store; above `limit` bytes in parts of `limit` bytes."""

    def __init__(self, wire: Wire, limit: int = COPY_LIMIT) -> None:
        self._wire, self._limit = wire, limit

    def copy(
        self, source: Source, size: int, bucket: str, key: str, headers: Mapping[str, str], if_match: str | None = None
    ) -> str | None:
        """Copy all `size` bytes, replacing the metadata by that of `headers`; returns the new version.

        With `if_match` a store that honours it copies only an object of this ETag, and else raises Changed.
        Raises NotThere without the source, else Failure: then the copy may or may not be there.
        """
        wanted = {**_from(source), **({"x-amz-copy-source-if-match": f'"{if_match}"'} if if_match else {})}
        if size <= self._limit:
            return self._copy_at_once(source, wanted, bucket, key, headers)
        multipart = Multipart(self._wire, bucket, key, headers)
        with ExitStack() as unless_complete:
            unless_complete.callback(multipart.abort)
            if self._fill(multipart, wanted, size):
                version_id = multipart.complete()
                unless_complete.pop_all()
                return version_id
        # A store that copies no parts (rclone) has no limit for one copy either.
        return self._copy_at_once(source, wanted, bucket, key, headers)

    def _fill(self, multipart: Multipart, wanted: Mapping[str, str], size: int) -> bool:
        asked = ({**wanted, "x-amz-copy-source-range": span} for span in spans(size, self._limit))
        return all(patiently()(multipart.copy, headers) for headers in asked)

    def _copy_at_once(
        self, source: Source, wanted: Mapping[str, str], bucket: str, key: str, headers: Mapping[str, str]
    ) -> str | None:
        asked = {**headers, **wanted, "x-amz-metadata-directive": "REPLACE"}
        with translated(*source[:2]):
            response = self._wire.slow._execute("PUT", bucket, key, headers=cast(DictType, asked))
            etag = copied_etag(response)
        if not etag:
            evidence = {"bucket": bucket, "object": key, "error": "empty answer to a copy"}
            raise Transient(Reason.STORAGE_UNAVAILABLE, evidence)
        return response.headers.get("x-amz-version-id")


def spans(size: int, limit: int) -> Iterator[str]:
    """The ranges, each of at most `limit` bytes, that together are `size` bytes."""
    for start in range(0, size, limit):
        yield f"bytes={start}-{min(start + limit, size) - 1}"


def _from(source: Source) -> dict[str, str]:
    bucket, key, version_id = source
    version = f"?versionId={quote(version_id, safe='')}" if version_id else ""
    return {"x-amz-copy-source": quote(f"/{bucket}/{key}") + version}
