"""What Outlast does after an answer, and what is to be mended where the entry cannot read it."""

from collections.abc import Mapping, Sequence

from outlast.cli.providers.seen import SeenOutput
from shared.providers.entry import Poll, Refresh
from shared.providers.reading import Reading
from shared.providers.report import Report, Said
from shared.providers.webhook import Webhook

NO_WORD = "null"
"""What a status that is not there is read as."""
CLOSED = "The job's task is closed with the reason {} and the provider's words."
MEANS: Mapping[type[Reading], Mapping[Said, str]] = {
    Poll: {
        Said.RUNNING: "The job is at work: it is asked for again.",
        Said.GONE: "The provider does not know the job: if it says so for half a minute, that is job_record_gone.",
        Said.LIMITED: "The provider wants fewer questions (rate_limited): the job is asked for again later.",
        Said.REFUSED: "The provider refuses the key (credential_refused): check that of this provider account.",
    },
    Webhook: {
        Said.RUNNING: "The job is at work: nothing follows until it ends.",
        **dict.fromkeys((Said.GONE, Said.LIMITED, Said.REFUSED), "This is no end of the job: it is asked for."),
    },
    Refresh: {
        Said.RUNNING: "The job is not finished: a link is asked for again later.",
        Said.GONE: "The provider does not know the job: the task stops with the reason job_record_gone.",
        Said.LIMITED: "The provider wants fewer questions (rate_limited): a link is asked for again later.",
        Said.REFUSED: "The provider refuses the key (credential_refused): check that of this provider account.",
    },
}
"""What follows from words other than those of an end, by what reads them."""
ENDS = {Said.FAILED: CLOSED.format("provider_failed"), Said.FILTERED: CLOSED.format("provider_filtered")}
UNDERSTOOD = frozenset({Said.RUNNING, Said.DONE, Said.FAILED, Said.FILTERED})
"""What says how a job stands."""


def meaning_of(reading: Reading, report: Report, outputs: Sequence[SeenOutput]) -> tuple[str, bool]:
    """What follows, and whether the entry reads this answer as it should."""
    if report.said is Said.DONE:
        return _of_outputs(reading, outputs)
    is_missing = report.word == NO_WORD and NO_WORD not in (*reading.running, *reading.gone)
    if is_missing and report.said in (Said.UNKNOWN, Said.GONE):
        return _nothing_at(reading, report.said), False
    if report.said is Said.UNKNOWN:
        return (
            "The status has no meaning in the entry: put its word into running, done, failed, filtered, gone, limited"
            " or refused. Until then the job counts as one at work."
        ), False
    if report.said is Said.ERROR:
        return (
            "The error has no meaning in the entry: put its word into failed, filtered, gone, limited or refused."
            " Until then the job is asked for again."
        ), False
    return {**ENDS, **MEANS[type(reading)]}[report.said], report.said in UNDERSTOOD


def _nothing_at(reading: Reading, said: Said) -> str:
    then = (
        "and no error either, so that the provider seems to know no such job (job_record_gone)"
        if said is Said.GONE
        else "so that the job counts as one at work"
    )
    return f"Nothing stands at status = {reading.status!r}, {then}. If the answer has a status, mend that expression."


def _of_outputs(reading: Reading, outputs: Sequence[SeenOutput]) -> tuple[str, bool]:
    if not outputs:
        return (
            f"The job is finished, and nothing stands at outputs = {reading.outputs!r}: its task stops with the reason"
            " no_output. If the answer has an output, mend that expression."
        ), False
    good = [output for output in outputs if output.fault is None]
    if not good:
        return "The job is finished, and none of its outputs can be fetched.", False
    rest = "" if len(good) == len(outputs) else f" of {len(outputs)}"
    return f"The job is finished. {len(good)}{rest} output{'s' if len(outputs) > 1 else ''} can be fetched.", True
