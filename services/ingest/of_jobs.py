"""The values of events about jobs and their outputs, under the names of the columns."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from services.ingest.deadlines import deadlines_of
from services.ingest.heard import Heard, described
from services.ingest.kept import kept_failure
from shared.links import place_of
from shared.messages import Failing, GenerationStarted, OutputFailed, OutputReady, job_key, key_of, task_id_from
from shared.providers import Registry
from shared.providers.pace import spread
from shared.reasons import Reason
from shared.vault import Vault

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
    entry = registry.find(data.provider, data.provenance.model or heard.model)
    return {
        **_of_job(heard, data),
        **described(data),
        **asdict(deadlines_of(data, ready_at, heard.at, entry)),
        "output_id": data.output_id,
        "placeholder_id": _placeholder(heard, data),
        "kin_id": _placeholder(heard, data) if heard.is_report else None,
        "model": heard.model,
        "object": None,
        "ready_at": ready_at,
        "counted_as": registry.counted_as(data.provider),
        "lane": registry.lane(data.provider, place.host),
        "host": place.host,
        "path_sha256": place.path_sha256,
    }


def job(heard: Heard, data: GenerationStarted | OutputReady, registry: Registry, vault: Vault) -> dict[str, Any] | None:
    """Of the act `job`; None for an event that tells nothing of the job which the provider's entry does not know.

    A started job is asked for where its entry says how, the first time a little sooner or later than that says, so
    that jobs which started together are not asked for together.
    """
    # Only providers with an entry of their own have a rate that they are asked at.
    model = data.provenance.model or heard.model
    poll = registry.find(data.provider, model).poll if registry.known(data.provider) else None
    is_asked_for = isinstance(data, GenerationStarted) and poll is not None and bool(poll.url or data.record)
    if not is_asked_for and data.record is None:
        return None
    key = _placeholder(heard, data)
    started_at = heard.happened(data.started_at if isinstance(data, GenerationStarted) else data.ready_at)
    age = (heard.at - started_at).total_seconds()
    return {
        **_of_job(heard, data),
        "job_key": key,
        "model": model,
        "sealed": vault.seal(key, key, data.record) if data.record else None,
        "started_at": started_at,
        "due_seconds": max(spread(poll.first_seconds) - age, 0.0) if poll and is_asked_for else None,
    }


def _of_job(heard: Heard, data: GenerationStarted | OutputReady | OutputFailed) -> dict[str, Any]:
    return {
        **heard.values(),
        "download_key": key_of(heard.account, data),
        "provider": data.provider,
        "provider_account": data.provider_account,
        "job_id": data.job_id,
    }


def _placeholder(heard: Heard, data: GenerationStarted | OutputReady | OutputFailed) -> UUID:
    return task_id_from(job_key(heard.account, data))
