"""Asking a provider for a fresh link to an output of a finished job; never for a new generation."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jmespath
from jmespath.exceptions import JMESPathError

from shared.egress import Policy, fetch
from shared.errors import Failure
from shared.providers.entry import Provider, Refresh
from shared.reasons import Reason

RECORD_BYTES = 4 * 2**20
"""Largest job record that is read, in bytes."""
LATEST_EPOCH = 253_402_300_799
"""The last second of the year 9999, the latest that a time can say."""


@dataclass(frozen=True)
class FreshLink:
    """A link that the provider gave now; `url` is a credential."""

    url: str
    expires_at: datetime | None


def refresh(
    provider: Provider, provider_account: str, job_id: str, output_id: str, policy: Policy, deadline: float
) -> FreshLink:
    """Fetch the job record and return the output's link.

    `deadline` is an instant of `time.monotonic()`. Raises Failure: job_record_gone where the provider
    no longer knows the job or its output, provider_failed or provider_filtered by its word,
    credential_refused, rate_limited, source_unavailable, or what the guard refuses.
    """
    entry = provider.refresh
    if entry is None:
        raise Failure(Reason.URL_EXPIRED, {"refresh": "this provider has none"})
    url = entry.url.format(job_id=quote(job_id, safe=""), output_id=quote(output_id, safe=""))
    record = _record(entry, url, _credential(entry, provider_account), policy, deadline)
    try:
        return _link(entry, record, output_id)
    except (JMESPathError, UnicodeError, ValueError, OverflowError, RecursionError) as error:
        evidence = {"refresh": f"the job record is not as expected ({type(error).__name__})"}
        raise Failure(Reason.SOURCE_UNAVAILABLE, evidence) from None


def _link(entry: Refresh, record: Any, output_id: str) -> FreshLink:
    _check_status(entry, record)
    for index, output in enumerate(entry.outputs_of(record)):
        named = jmespath.search(entry.output_id, output) if entry.output_id else index
        link = jmespath.search(entry.output_url, output)
        if str(named) == output_id and isinstance(link, str) and link:
            link.encode()
            expires = jmespath.search(entry.output_expires_at, output) if entry.output_expires_at else None
            return FreshLink(link, instant(expires))
    raise Failure(Reason.JOB_RECORD_GONE, {"refresh": "the record names no such output"})


def _record(entry: Refresh, url: str, credential: Mapping[str, str], policy: Policy, deadline: float) -> Any:
    with fetch(
        url,
        policy,
        method=entry.method,
        credential=credential,
        deadline=deadline,
        headers={"Accept": "application/json"},
    ) as answer:
        if answer.status != 200:
            raise _refusal(answer.status, answer.headers.get("retry-after"))
        body = bytearray()
        for chunk in answer.stream():
            body += chunk
            if len(body) > RECORD_BYTES:
                raise Failure(Reason.SOURCE_UNAVAILABLE, {"refresh": "the job record is too large"})
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Failure(Reason.SOURCE_UNAVAILABLE, {"refresh": "the job record is not JSON"}) from None


def _refusal(status: int, retry_after: str | None) -> Failure:
    evidence = {"refresh_status": status}
    if status in (401, 403):
        return Failure(Reason.CREDENTIAL_REFUSED, evidence)
    if status in (404, 410):
        return Failure(Reason.JOB_RECORD_GONE, evidence)
    if status == 429:
        wish = float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None
        return Failure(Reason.RATE_LIMITED, evidence, retry_after=wish)
    return Failure(Reason.SOURCE_UNAVAILABLE, evidence)


def _check_status(entry: Refresh, record: Any) -> None:
    status = jmespath.search(entry.status, record)
    if status in entry.done:
        return
    evidence = {"provider_status": str(status)[:64]}
    if status in entry.failed:
        raise Failure(Reason.PROVIDER_FAILED, evidence)
    if status in entry.filtered:
        raise Failure(Reason.PROVIDER_FILTERED, evidence)
    raise Failure(Reason.SOURCE_UNAVAILABLE, evidence)


def _credential(entry: Refresh, provider_account: str) -> dict[str, str]:
    if not entry.credential_header or not entry.credential_file:
        return {}
    if not all(c.isalnum() or c in "._-" for c in provider_account) or provider_account.startswith("."):
        raise Failure(Reason.CREDENTIAL_REFUSED, {"refresh": "no key can belong to this provider account's name"})
    path = Path(entry.credential_file.format(provider_account=provider_account))
    try:
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise Failure(
            Reason.CREDENTIAL_REFUSED, {"refresh": "the key file of this provider account cannot be read"}
        ) from None
    return {entry.credential_header: entry.credential_prefix + key}


def instant(value: Any) -> datetime | None:
    """A time as providers write it: unix seconds, milliseconds, or ISO 8601; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return None
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    if isinstance(value, int | float):
        seconds = value / 1000 if value >= 1e11 else value
        return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < LATEST_EPOCH else None
    return None
