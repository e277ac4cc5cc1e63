"""The link to one output that a finished job's record names, or the failure that it says instead."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from shared.errors import Failure
from shared.providers.asking import Unknown
from shared.providers.reading import Reading
from shared.providers.report import Output, Report, Said, Unreadable, read
from shared.reasons import Reason

MEANINGS: Mapping[Said, Reason] = MappingProxyType(
    {
        Said.FAILED: Reason.PROVIDER_FAILED,
        Said.FILTERED: Reason.PROVIDER_FILTERED,
        Said.REFUSED: Reason.CREDENTIAL_REFUSED,
        Said.LIMITED: Reason.RATE_LIMITED,
    }
)
"""What a record's words are as a reason; all others say that it cannot be had now."""


@dataclass(frozen=True)
class FreshLink:
    """A link that the provider gave now; `url` is a credential."""

    url: str = field(repr=False)
    expires_at: datetime | None


def fresh_link(entry: Reading, record: Any, output_id: str, wait: float | None) -> FreshLink:
    """The link to one output that a job record names.

    `wait` is how long the answer asked to wait, in seconds. Raises Failure for what the record says instead,
    Unknown where it says that there is no such job, source_unavailable for one that is not as expected.
    """
    report = report_of(entry, record)
    check_done(report, wait)
    output = next((output for output in report.outputs if output.output_id == output_id), None)
    if output is None:
        raise Failure(Reason.JOB_RECORD_GONE, {"answer": "the record names no such output"})
    return _link(output)


def report_of(entry: Reading, record: Any) -> Report:
    """What a job record says. Raises Failure: source_unavailable for one that is not as expected."""
    try:
        return read(entry, record)
    except Unreadable as error:
        evidence = {"answer": f"the job record is not as expected ({error})"}
        raise Failure(Reason.SOURCE_UNAVAILABLE, evidence) from None


def check_done(report: Report, wait: float | None) -> None:
    """Raise the Failure that a report stands for, unless its job is done."""
    if report.said is Said.DONE:
        return
    evidence = {"provider_error" if report.said is Said.ERROR else "provider_status": report.word}
    if report.said is Said.GONE:
        raise Unknown(evidence)
    raise Failure(MEANINGS.get(report.said, Reason.SOURCE_UNAVAILABLE), evidence, retry_after=wait)


def _link(output: Output) -> FreshLink:
    if output.link:
        return FreshLink(output.link, output.expires_at)
    if output.has_failed:
        raise Failure(Reason.PROVIDER_FAILED, {"provider_error": output.code or output.message})
    raise Failure(Reason.JOB_RECORD_GONE, {"answer": "the record names no link to this output"})
