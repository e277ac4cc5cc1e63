"""Multipart uploads by minio's private methods, which alone give the ids of uploads and parts."""

import re
from collections.abc import Mapping
from typing import cast

import structlog
from minio.datatypes import Part
from minio.error import InvalidResponseError
from minio.helpers import DictType
from urllib3 import BaseHTTPResponse

from shared.errors import Failure
from shared.objects.errors import refused, translated
from shared.objects.wire import Wire

log = structlog.get_logger(__name__)

_ETAG = re.compile(r"<ETag>(?:&#34;|&quot;|\")?([^<&\"]+)")

MOST_PARTS = 10_000
"""Most parts of one upload, the limit of S3."""


class Multipart:
    """One multipart upload in the store, with the parts it holds so far."""

    def __init__(self, wire: Wire, bucket: str, key: str, headers: Mapping[str, str]) -> None:
        """Begin it, with the headers the object will have. Raises Failure."""
        self._wire, self._bucket, self._key = wire, bucket, key
        self._parts: list[Part] = []
        with translated(bucket, key):
            self.upload_id = wire.quick._create_multipart_upload(bucket, key, cast(DictType, dict(headers)))

    @property
    def named(self) -> dict[str, str]:
        """What a person needs to find it in the store."""
        return {"bucket": self._bucket, "object": self._key, "upload_id": self.upload_id}

    def send(self, number: int, data: memoryview) -> None:
        """Send a part, counted from 1; several may be sent at once, and after a Failure the same one again."""
        body = cast(bytes, data)  # any buffer will do, and a copy would cost the memory of a part
        # No digest of the part goes along: it would cost a sixth of a transfer, and whoever reads the object back
        # compares the SHA-256 of the whole.
        with translated(self._bucket, self._key):
            etag = self._wire.bulk._upload_part(self._bucket, self._key, body, None, self.upload_id, number)
        self._parts.append(Part(number, etag))

    def copy(self, headers: Mapping[str, str]) -> bool:
        """Fill the next part by a server-side copy; False if the store knows no such copy. Raises Failure."""
        number = len(self._parts) + 1
        query: DictType = {"partNumber": str(number), "uploadId": self.upload_id}
        with translated(self._bucket, self._key):
            response = self._wire.slow._execute(
                "PUT", self._bucket, self._key, headers=cast(DictType, dict(headers)), query_params=query
            )
            etag = copied_etag(response)
        if etag:
            self._parts.append(Part(number, etag))
        return bool(etag)

    def complete(self) -> str | None:
        """Make the object of the parts; returns its version, if the bucket has versions. Raises Failure."""
        parts = sorted(self._parts, key=lambda part: part.part_number)
        with translated(self._bucket, self._key):
            result = self._wire.slow._complete_multipart_upload(self._bucket, self._key, self.upload_id, parts)
        if not result.etag:  # an error inside a 200, which minio takes for a success
            raise refused(self._bucket, self._key, 200, "InternalError")
        return result.version_id

    def abort(self) -> None:
        """Let the store forget the parts. Never raises; parts that may stay behind are logged."""
        try:
            abort(self._wire, self._bucket, self._key, self.upload_id)
        except Failure as failure:
            log.warning("upload_abort_failed", reason=failure.reason, **{**failure.evidence, **self.named})


def abort(wire: Wire, bucket: str, key: str, upload_id: str) -> bool:
    """Let the store forget the parts of an upload; False if it knows no such upload. Raises Failure."""
    try:
        with translated(bucket, key):
            wire.quick._abort_multipart_upload(bucket, key, upload_id)
    except Failure as failure:
        # It was completed, aborted or forgotten by the store before.
        if failure.evidence.get("code") != "NoSuchUpload":
            raise
        return False
    return True


def copied_etag(response: BaseHTTPResponse) -> str:
    """The ETag in the answer to a copy; empty if the answer is, which means that the store ignored the copy.

    Raises InvalidResponseError for an error inside a 200.
    """
    body = response.data.decode()
    found = _ETAG.search(body)
    if found is None and body.strip():
        raise InvalidResponseError(response.status, None, body)
    return found.group(1) if found else ""
