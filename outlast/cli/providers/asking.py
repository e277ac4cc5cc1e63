"""One question to a provider about a job, and what went wrong with it in words."""

from dataclasses import replace
from datetime import datetime
from time import monotonic

from outlast.catalogue.describing import is_to_be_extended
from outlast.cli.providers.places import key_file
from outlast.cli.providers.question import Question
from outlast.cli.providers.reading import understand
from outlast.cli.providers.seen import Seen
from shared.errors import Failure, UsageError
from shared.providers import Provider, Registry
from shared.providers.asking import Document, Unknown, address, ask
from shared.providers.entry import Poll, Refresh
from shared.providers.keys import Key, Keys
from shared.reasons import Reason
from shared.redaction import redact

SECONDS = 30.0
"""Limit for the question, as for one of the services."""


class Inquiry:
    """A question about one job, by the table of the entry that the question names."""

    def __init__(self, registry: Registry, question: Question, job_id: str, output_id: str, given: str | None) -> None:
        self._registry, self._question = registry, question
        self._names, self._given = (job_id, output_id), given
        self._entry = registry.find(question.provider, question.model)

    def seen(self, now: datetime) -> Seen:
        """What the answer means, or why there is none.

        Raises UsageError where it cannot be asked: no key, no address, or one that is not the provider's.
        """
        url, key = self._address(), self._key(now)
        try:
            document = self._ask(url, key)
        except Failure as failure:
            return self._trouble(failure, key)
        question = replace(self._question, record_url=self._given, key=key)
        return understand(self._registry, question, document.value, now)

    @property
    def _table(self) -> Poll | Refresh:
        table = self._entry.poll if self._question.table == "poll" else self._entry.refresh
        assert table is not None  # the question names a table that is there
        return table

    def _ask(self, url: str, key: Key | None) -> Document:
        table = self._table
        is_head = isinstance(table, Poll) and table.answer == "head"
        # The address is the entry's own or was found to lie there, so only the deny table applies to it.
        policy = replace(self._question.policy, hosts=())
        until = monotonic() + SECONDS
        return ask(table, url, self._names, key, policy, until, follow=table.follow, head=is_head)

    def _address(self) -> str:
        url = address(self._entry, self._table, *self._names, self._given)
        if self._given and url != self._given:
            raise UsageError(
                f"That address does not lie on the API of {self._entry.name}, so the key must not be shown there. If"
                " it is right, put its origin into origins of [credential]."
            )
        if url is None:
            raise UsageError(
                f"The entry of {self._entry.name} names no address: give that of the job's record, which the provider"
                " told when the job began, with --record-url -"
            )
        if is_to_be_extended(self._entry) and self._given is None:
            raise UsageError(
                f"The entry {self._entry.name} names no server: write a file of your own that extends it, with your"
                " base_url, and ask by its name."
            )
        return url

    def _key(self, now: datetime) -> Key | None:
        try:
            return Keys().of_account(self._entry, self._question.provider_account, now)
        except Failure as failure:
            file = key_file(self._entry, self._question.provider_account)
            remedy = f" Put it, one line, into {file}" if file else " Give another --provider-account"
            raise UsageError(f"No question was asked: {failure.evidence['why']}.{remedy}.") from None

    def _trouble(self, failure: Failure, key: Key | None) -> Seen:
        words = _words(failure, self._entry, self._question)
        return Seen(
            provider=self._question.provider,
            read_as=self._question.table,
            said=failure.reason,
            job_id=self._question.job_id,
            next=redact(key.conceal(words) if key else words),
            is_understood=False,
        )


def _words(failure: Failure, entry: Provider, question: Question) -> str:
    status = failure.evidence.get("answer_status")
    answered = f" (HTTP {status})" if status else ""
    if isinstance(failure, Unknown):
        return (
            f"The provider knows no such job{answered}: the id is wrong, another key made it, it was deleted, or the"
            " address in the entry is wrong."
        )
    match failure.reason:
        case Reason.CREDENTIAL_REFUSED:
            return f"The provider refused the key in {key_file(entry, question.provider_account)}{answered}."
        case Reason.RATE_LIMITED:
            again = f" in {failure.retry_after:.0f} s" if failure.retry_after else " later"
            return f"The provider wants fewer questions{answered}: ask again{again}."
        case Reason.BLOCKED_ADDRESS:
            return (
                f"The address of the API is one that Outlast does not ask ({failure.evidence.get('refused')}). A server"
                " of your own network must be named as ip:port in OUTLAST_EGRESS_ALLOW."
            )
    told = failure.evidence.get("provider_error") or failure.evidence.get("answer")
    return f"{failure.reason.rule.sentence}{answered}{f' Seen: {told}.' if told else ''}"
