"""The values of events about objects of the input bucket, under the names of the columns."""

from dataclasses import asdict
from hashlib import sha256
from typing import Any
from uuid import uuid4

from services.ingest.deadlines import Deadlines
from services.ingest.heard import Heard, described
from shared.expiry import Confidence
from shared.messages import OBJECT, InputObject, ObjectCreated, key_of, object_key, plain_etag, task_id_from
from shared.providers import Registry

NO_END = Deadlines(None, None, "none", Confidence.UNKNOWN, None, None, life_is_sure=False)
NOTIFICATION = "notification"
"""The `source` and the `type` of the event that a store's notification is."""


def created(heard: Heard, data: ObjectCreated, registry: Registry) -> dict[str, Any]:
    """Of the act `accept`, for an object with its envelope."""
    return {
        **heard.values(),
        **described(data),
        **asdict(NO_END),
        **_of_object(data.object, registry),
        "output_id": data.output_id or data.object.pin,
        "placeholder_id": None,
        "kin_id": None,
        "model": None,
        "download_key": key_of(heard.account, data),
        "expected": _promised(data),
        "ready_at": heard.happened(data.created_at),
    }


def noticed(account: str, told: InputObject, registry: Registry) -> dict[str, Any]:
    """Of the act `noticed`, for an object that only its store told of yet."""
    key = object_key(account, told.bucket, told.key, told.pin)
    task_id = task_id_from(key)
    return {
        **_of_object(told, registry),
        "account": account,
        "source": NOTIFICATION,
        "event_type": NOTIFICATION,
        "event_id": str(task_id),
        "body_sha256": sha256(key.encode()).hexdigest(),
        "task_id": task_id,
        "download_key": key,
        "output_id": told.pin,
        "source_id": uuid4(),
        "confidence": Confidence.UNKNOWN,
    }


def lock_name(account: str, told: InputObject) -> str:
    """What serializes the events about an object, however they pin it."""
    return object_key(account, told.bucket, told.key, "")


def _of_object(told: InputObject, registry: Registry) -> dict[str, Any]:
    """An object stands in a job's columns: its bucket as the provider account, its key as the job."""
    pins = {"version_id": told.version_id, "etag": plain_etag(told.etag) if told.etag else None}
    return {
        "provider": OBJECT,
        "provider_account": told.bucket,
        "job_id": told.key,
        "object": {"bucket": told.bucket, "key": told.key, **{name: pin for name, pin in pins.items() if pin}},
        "lane": registry.lane(OBJECT, told.bucket),
        "counted_as": OBJECT,
        "host": told.bucket,
        "path_sha256": sha256(told.key.encode()).hexdigest(),
    }


def _promised(data: ObjectCreated) -> dict[str, Any]:
    told = {"size": data.object.size, "sha256": data.object.sha256}
    promised = data.expected.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return {**promised, **{name: value for name, value in told.items() if value is not None}}
