"""Notifications of object stores, in the dialects of AWS and MinIO, Ceph RGW, and Alibaba OSS."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from pydantic import ValidationError, model_validator

from shared.messages.fields import Bytes, Model, Name
from shared.messages.references import InputObject, plain_etag
from shared.messages.rejection import Fault, Rejected, describe
from shared.messages.strict import parse_json

MOST_RECORDS = 1000
"""Most records in one notification, as many as a store lists at once."""
CREATED = "ObjectCreated:"
_UNFINISHED = frozenset({"InitiateMultipartUpload", "UploadPart", "UploadPartCopy"})
"""What OSS tells of an upload before there is an object."""
_NO_VERSION = frozenset({"", "null"})


@dataclass(frozen=True)
class Notification:
    """The objects that a notification says were created, and how many records told of something else."""

    created: tuple[InputObject, ...]
    ignored: int


def read_notification(body: bytes) -> Notification:
    """Read a store's notification. Raises Rejected with the reasons of `parse_json`, or wrong_schema."""
    value = parse_json(body)
    if not isinstance(value, dict):
        raise Rejected(Fault.WRONG_SCHEMA, "notification: the body must be one JSON object")
    if value.get("Event") == "s3:TestEvent":
        return Notification((), 1)
    records = value.get("Records", value.get("events"))
    if not isinstance(records, list) or not 0 < len(records) <= MOST_RECORDS:
        raise Rejected(Fault.WRONG_SCHEMA, f"Records (of OSS: events): a list of 1 to {MOST_RECORDS} is wanted")
    found = [_created(record, place) for place, record in enumerate(records)]
    return Notification(tuple(one for one in found if one is not None), found.count(None))


def _created(record: Any, place: int) -> InputObject | None:
    """The object of a record; None for a record of something else, or of a folder's mark."""
    if not isinstance(record, dict):
        raise Rejected(Fault.WRONG_SCHEMA, f"record {place}: an object is wanted")
    name = str(record.get("eventName", "")).removeprefix("s3:").removeprefix("oss:")
    if not name.startswith(CREATED) or name.removeprefix(CREATED) in _UNFINISHED:
        return None
    try:
        told = _Told.model_validate(record.get("oss") if "oss" in record else record.get("s3"))
        found = _object(told, str(record.get("eventSource", "")))
    except ValidationError as error:
        raise Rejected(Fault.WRONG_SCHEMA, f"record {place}: {describe(error)}") from None
    return None if found.key.endswith("/") and not found.size else found


class _Object(Model, extra="ignore"):
    key: str
    versionId: Name | None = None  # noqa: N815 (the stores' own words)
    eTag: Name | None = None  # noqa: N815
    size: Bytes | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, value: Any) -> Any:
        return {name: told for name, told in value.items() if told != ""} if isinstance(value, dict) else value


class _Bucket(Model, extra="ignore"):
    name: str


class _Told(Model, extra="ignore"):
    bucket: _Bucket
    object: _Object


def _object(told: _Told, source: str) -> InputObject:
    """AWS and MinIO encode keys as forms are; RGW and OSS give them as they are."""
    key = told.object.key
    if not source.startswith(("ceph:", "acs:")):
        try:
            key = unquote_plus(key, errors="strict")
        except UnicodeDecodeError:
            raise Rejected(Fault.WRONG_SCHEMA, "object.key: the encoded key is not UTF-8") from None
    version = told.object.versionId
    return InputObject(
        bucket=told.bucket.name,
        key=key,
        version_id=None if version in _NO_VERSION else version,
        etag=plain_etag(told.object.eTag) if told.object.eTag else None,
        size=told.object.size,
    )
