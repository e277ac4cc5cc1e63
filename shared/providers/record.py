"""What a job record says: whether the job is done, and where its outputs are."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from shared.errors import Evidence, Failure
from shared.providers.entry import Refresh, word
from shared.reasons import Reason

LATEST_EPOCH = 253_402_300_799
"""The last second of the year 9999, the latest that a time can say."""
MOST_WORDS = 200
"""Characters that are kept of what a provider says."""

_NO_ERROR = frozenset({"", "0", "null", "false", "[]", "{}"})


@dataclass(frozen=True)
class FreshLink:
    """A link that the provider gave now; `url` is a credential."""

    url: str
    expires_at: datetime | None


class Unknown(Failure):
    """The provider does not know the job: it forgot it, or it never was one of this key's."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(Reason.JOB_RECORD_GONE, evidence)


def fresh_link(entry: Refresh, record: Any, output_id: str, wait: float | None) -> FreshLink:
    """The link to one output that a job record names.

    `wait` is how long the answer asked to wait, in seconds. Raises Failure for what the record says instead,
    Unknown where it says that there is no such job, source_unavailable for one that is not as expected.
    """
    try:
        _check_done(entry, record, wait)
        return _link(entry, record, output_id)
    except (JMESPathError, UnicodeError, ValueError, OverflowError, RecursionError) as error:
        evidence = {"refresh": f"the job record is not as expected ({type(error).__name__})"}
        raise Failure(Reason.SOURCE_UNAVAILABLE, evidence) from None


def _check_done(entry: Refresh, record: Any, wait: float | None) -> None:
    error = word(jmespath.search(entry.error, record)) if entry.error else "null"
    status = jmespath.search(entry.status, record)
    has_error = error not in _NO_ERROR
    said = error if has_error else word(status)
    if said in entry.done and not has_error:
        return
    evidence = {"provider_error" if has_error else "provider_status": said[:MOST_WORDS]}
    # Without an expression for errors, a record with no status may be one.
    if said in entry.gone or (status is None and entry.error and not has_error):
        raise Unknown(evidence)
    meanings = {
        Reason.PROVIDER_FAILED: entry.failed,
        Reason.PROVIDER_FILTERED: entry.filtered,
        Reason.CREDENTIAL_REFUSED: entry.refused,
        Reason.RATE_LIMITED: entry.limited,
    }
    reason = next((reason for reason, words in meanings.items() if said in words), Reason.SOURCE_UNAVAILABLE)
    raise Failure(reason, evidence, retry_after=wait)


def _link(entry: Refresh, record: Any, output_id: str) -> FreshLink:
    for index, output in enumerate(entry.outputs_of(record)):
        named = jmespath.search(entry.output_id, output) if entry.output_id else index
        if word(named) == output_id:
            return _link_of(entry, output)
    raise Failure(Reason.JOB_RECORD_GONE, {"refresh": "the record names no such output"})


def _link_of(entry: Refresh, output: Any) -> FreshLink:
    link = jmespath.search(entry.output_url, output)
    if isinstance(link, str) and link:
        link.encode()
        expires = jmespath.search(entry.output_expires_at, output) if entry.output_expires_at else None
        return FreshLink(link, instant(expires))
    error = word(jmespath.search(entry.output_error, output)) if entry.output_error else "null"
    if error not in _NO_ERROR:
        raise Failure(Reason.PROVIDER_FAILED, {"provider_error": error[:MOST_WORDS]})
    raise Failure(Reason.JOB_RECORD_GONE, {"refresh": "the record names no link to this output"})


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
