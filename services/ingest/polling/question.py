"""One question about a job: at its address, with its account's key, and what the answer says."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic

from services.ingest.polling.due import Due
from shared.egress import Policy
from shared.errors import Failure, Stopping
from shared.providers import Provider
from shared.providers.asking import Document, address, ask, with_key
from shared.providers.entry import Poll
from shared.providers.keys import Key, Keys
from shared.providers.record import check_done, report_of
from shared.providers.report import Report, Said
from shared.reasons import Reason
from shared.vault import Unsealable, Vault

QUESTION_SECONDS = 30.0
"""Limit for one question to a provider."""
HEARD = frozenset({Said.RUNNING, Said.UNKNOWN, Said.DONE, Said.FAILED, Said.FILTERED})
"""What is word of the job; all else says only that there is none."""


@dataclass(frozen=True)
class Word:
    """What a provider says of a job; `wait` is how long it asked to wait, in seconds, `record_url` a credential."""

    report: Report
    wait: float | None
    record_url: str | None = field(default=None, repr=False)
    """The address of the record, where an event gave it."""


@dataclass(frozen=True)
class Questions:
    """Asks providers about jobs."""

    vault: Vault
    keys: Keys
    policy: Policy
    stopping: Callable[[], bool]

    def ask(self, due: Due, provider: Provider, poll: Poll) -> Word:
        """What the provider says now, without our key in its words.

        Raises Failure: Unknown where it does not know the job, credential_refused also where that may be a changed
        key's fault, credential_missing, rate_limited, host_not_listed where no address is to be had, keyring, or what
        the question met; Stopping when the process ends.
        """
        if self.stopping():
            raise Stopping
        given = self._given(due)
        url = address(provider, poll, due.job.job_id, given=given)
        if url is None:
            raise Failure(Reason.HOST_NOT_LISTED, {"why": "no address of the job's record lies on the provider's API"})
        key = self.keys.of_account(provider, due.job.provider_account, due.started_at)
        record_url = given if url == given else None
        try:
            with with_key(key):
                document = self._asked(due, poll, url, key)
                report = _concealed(report_of(poll, document.value), key)
                if report.said not in HEARD:
                    check_done(report, document.wait)
        except Failure as failure:
            if failure.reason is not Reason.PROVIDER_FAILED:
                raise
            return Word(_failure_of(failure), failure.retry_after, record_url)
        return Word(report, document.wait, record_url)

    def _asked(self, due: Due, poll: Poll, url: str, key: Key | None) -> Document:
        return ask(
            poll,
            url,
            (due.job.job_id, ""),
            key,
            self.policy,
            monotonic() + QUESTION_SECONDS,
            follow=poll.follow,
            head=poll.answer == "head",
            stopping=self.stopping,
        )

    def _given(self, due: Due) -> str | None:
        try:
            return self.vault.unseal(due.job.key, due.job.key, due.sealed) if due.sealed else None
        except Unsealable as error:
            raise Failure(Reason.KEYRING, {"detail": str(error)}) from None


def _failure_of(failure: Failure) -> Report:
    """The report that a refusal in place of the outputs is."""
    words = str(failure.evidence.get("provider_error"))
    return Report(Said.FAILED, words, None, None, None, None, words, (), ())


def _concealed(report: Report, key: Key | None) -> Report:
    if key is None:
        return report

    def clean(text: str | None) -> str | None:
        return key.conceal(text) if text else text

    outputs = tuple(replace(each, code=clean(each.code), message=clean(each.message)) for each in report.outputs)
    return replace(
        report, word=key.conceal(report.word), code=clean(report.code), message=clean(report.message), outputs=outputs
    )
