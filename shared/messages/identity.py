"""Identity: what a task is called before anyone has seen it, from who owns it and what its source calls it."""

import json
from uuid import UUID, uuid5

from shared.messages.objects import ObjectCreated
from shared.messages.outputs import GenerationStarted, OutputFailed, OutputReady
from shared.messages.reviews import AssetReviewed

TASK_NAMESPACE = UUID("6f75746c-6173-5474-a000-7461736b6964")
"""Namespace of task ids: `task_id = UUIDv5(TASK_NAMESPACE, download_key)` (RFC 9562, 5.5)."""

OBJECT = "object"
"""The second part of an object's download key, and the `provider` of its task."""
PLACEHOLDER = ""
"""Stands for what is not told yet: the output id of a started job, the processor version of a notified object."""


def download_key(account: str, *names: str) -> str:
    """The identity of an output: who owns it and what its source calls it, never its URL.

    Of a job the names are provider, provider account, job id and output id; of an object they are `object`,
    bucket, key, version (else ETag) and processor version.
    """
    return json.dumps([account, *names], separators=(",", ":"))


def task_id_from(key: str) -> UUID:
    """The task id of a download key."""
    return uuid5(TASK_NAMESPACE, key)


def job_key(account: str, data: GenerationStarted | OutputReady | OutputFailed) -> str:
    """The download key of a job's placeholder."""
    return download_key(account, data.provider, data.provider_account, data.job_id, PLACEHOLDER)


def object_key(account: str, bucket: str, key: str, pin: str, processor_version: str = PLACEHOLDER) -> str:
    """The download key of an object; without a processor version that of its notification."""
    return download_key(account, OBJECT, bucket, key, pin, processor_version)


def key_of(account: str, data: GenerationStarted | OutputReady | OutputFailed | ObjectCreated) -> str:
    """The download key of what an event is about."""
    if isinstance(data, ObjectCreated):
        return object_key(account, data.object.bucket, data.object.key, data.object.pin, data.processor_version)
    output_id = None if isinstance(data, GenerationStarted) else data.output_id
    if output_id is None:
        return job_key(account, data)
    return download_key(account, data.provider, data.provider_account, data.job_id, output_id)


def task_id_of(
    account: str, data: GenerationStarted | OutputReady | OutputFailed | ObjectCreated | AssetReviewed
) -> UUID:
    """The task id of what an event is about, known to its producer before Outlast has seen it."""
    return data.task_id if isinstance(data, AssetReviewed) else task_id_from(key_of(account, data))
