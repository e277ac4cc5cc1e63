"""Asking a provider for a fresh link to an output of a finished job; never for a new generation."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from shared.egress import Policy, fetch, retry_after
from shared.errors import Failure
from shared.providers.entry import Provider, Refresh
from shared.providers.keys import OTHER_KEY, Key
from shared.providers.record import FreshLink, Unknown, fresh_link
from shared.reasons import Reason

RECORD_BYTES = 16 * 2**20
"""Largest job record that is read, in bytes; outputs may be in it as `data:` links."""


def refresh(
    provider: Provider, key: Key | None, job_id: str, output_id: str, policy: Policy, deadline: float
) -> FreshLink:
    """Fetch the job record and return the output's link.

    `deadline` is an instant of `time.monotonic()`. Raises Failure: job_record_gone where the provider
    no longer knows the job or its output, provider_failed or provider_filtered by its word,
    credential_refused (also where the job is unknown to a key that took the place of another since the output
    was ready), rate_limited, source_unavailable, too_large, or what the guard refuses.
    """
    entry = provider.refresh
    if entry is None:
        raise Failure(Reason.URL_EXPIRED, {"refresh": "this provider has none"})
    url = entry.url.format(job_id=quote(job_id, safe=""), output_id=quote(output_id, safe=""))
    try:
        record, wait = _record(entry, url, key, policy, deadline)
        return fresh_link(entry, record, output_id, wait)
    except Unknown as unknown:
        if key and key.is_newer:
            raise Failure(Reason.CREDENTIAL_REFUSED, {**unknown.evidence, "why": OTHER_KEY}) from None
        raise


def _record(entry: Refresh, url: str, key: Key | None, policy: Policy, deadline: float) -> tuple[Any, float | None]:
    """The job record, and how long its answer asks to wait, in seconds."""
    with fetch(
        url,
        policy,
        method=entry.method,
        credential=key.headers if key else None,
        deadline=deadline,
        headers={"Accept": "application/json"},
    ) as answer:
        now = datetime.now(UTC) + timedelta(seconds=answer.clock_offset or 0.0)
        wait = retry_after(answer.headers, now)
        if answer.status != 200:
            raise _refusal(answer.status, wait)
        body = bytearray()
        for chunk in answer.stream():
            body += chunk
            if len(body) > RECORD_BYTES:
                raise Failure(Reason.TOO_LARGE, {"refresh": "the job record", "limit_bytes": RECORD_BYTES})
    try:
        return json.loads(body), wait
    except (ValueError, RecursionError):
        raise Failure(Reason.SOURCE_UNAVAILABLE, {"refresh": "the job record is not JSON"}) from None


def _refusal(status: int, wait: float | None) -> Failure:
    evidence = {"refresh_status": status}
    if status in (404, 410):
        return Unknown(evidence)
    if status in (401, 403):
        return Failure(Reason.CREDENTIAL_REFUSED, evidence)
    reason = Reason.RATE_LIMITED if status == 429 else Reason.SOURCE_UNAVAILABLE
    return Failure(reason, evidence, retry_after=wait)
