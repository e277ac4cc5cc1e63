"""The values of events about jobs and their outputs, under the names of the columns."""

from dataclasses import asdict
from typing import Any

from services.ingest.deadlines import deadlines_of
from services.ingest.heard import Heard, described
from services.ingest.kept import kept_failure
from shared.links import place_of
from shared.messages import Failing, GenerationStarted, OutputFailed, OutputReady, job_key, key_of, task_id_from
from shared.providers import Registry
from shared.reasons import Reason

REASONS = {Failing.FAILED: Reason.PROVIDER_FAILED, Failing.FILTERED: Reason.PROVIDER_FILTERED}


def started(heard: Heard, data: GenerationStarted, registry: Registry) -> dict[str, Any]:
    """Of the act `started`."""
    return {
        **_of_job(heard, data),
        **described(data),
        "task_id": _placeholder(heard, data),
        "lane": registry.lane(data.provider, ""),
        "started_at": heard.happened(data.started_at),
    }


def failed(heard: Heard, data: OutputFailed, registry: Registry) -> dict[str, Any]:
    """Of the act `failed`."""
    return {
        **_of_job(heard, data),
        "output_id": data.output_id,
        "placeholder_id": _placeholder(heard, data),
        "lane": registry.lane(data.provider, ""),
        "reason": str(REASONS[data.failure]),
        "detail": kept_failure(data),
        "failed_at": heard.happened(data.failed_at),
    }


def ready(heard: Heard, data: OutputReady, registry: Registry) -> dict[str, Any]:
    """Of the act `accept`, for an output behind a link or one that its provider gives itself."""
    ready_at, place = heard.happened(data.ready_at), place_of(data.link or "")
    return {
        **_of_job(heard, data),
        **described(data),
        **asdict(deadlines_of(data, ready_at, heard.at, registry.find(data.provider))),
        "output_id": data.output_id,
        "placeholder_id": _placeholder(heard, data),
        "object": None,
        "ready_at": ready_at,
        "counted_as": registry.counted_as(data.provider),
        "lane": registry.lane(data.provider, place.host),
        "host": place.host,
        "path_sha256": place.path_sha256,
    }


def _of_job(heard: Heard, data: GenerationStarted | OutputReady | OutputFailed) -> dict[str, Any]:
    return {
        **heard.values(),
        "download_key": key_of(heard.account, data),
        "provider": data.provider,
        "provider_account": data.provider_account,
        "job_id": data.job_id,
    }


def _placeholder(heard: Heard, data: GenerationStarted | OutputReady | OutputFailed) -> Any:
    return task_id_from(job_key(heard.account, data))
