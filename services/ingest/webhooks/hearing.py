"""Whether a webhook is its provider's, and what it says."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import jmespath
import structlog
from jmespath.exceptions import JMESPathError

from services.ingest.reported import Job
from services.ingest.webhooks.addressee import Addressee
from services.ingest.webhooks.answer import AWAY, NOTED, Answer, Declined, challenge, unproven, unreadable
from services.ingest.webhooks.notice import Notice
from services.ingest.webhooks.proof import Proof, prove
from services.ingest.webhooks.public_keys import PublicKeys
from services.ingest.webhooks.request import Request
from services.ingest.webhooks.secrets import secrets_of
from services.ingest.webhooks.unproven import Unproven, Why
from shared.errors import Failure
from shared.messages import Rejected, parse_json
from shared.providers import Registry
from shared.providers.report import DEEPEST, Report, Unreadable, read
from shared.providers.webhook import Webhook
from shared.telemetry import metrics

log = structlog.get_logger(__name__)

MOST_CHALLENGE = 1024
"""Characters of a challenge that are sent back."""
MALFORMED = frozenset({Why.MISSING_HEADER, Why.REPEATED_HEADER, Why.BAD_TIMESTAMP})
"""What no key could make right."""


class Hearing:
    """Proves webhooks and reads them, without the database; waits while a provider's keys are fetched."""

    def __init__(self, registry: Registry, keys: PublicKeys, clock: Callable[[], datetime], most_bytes: int) -> None:
        self._registry = registry
        self._keys = keys
        self._clock = clock
        self._most_bytes = most_bytes

    def hear(self, addressee: Addressee, request: Request) -> Notice | Answer:
        """What a webhook says; the answer itself where nothing follows from it.

        Raises Declined for one that is not believed, cannot be believed now, or cannot be read.
        """
        proof = self._proof(addressee, request)
        record = _parsed(request.body, self._most_bytes)
        if (value := _challenge(addressee.webhook, record)) is not None:
            return challenge(value)
        notice = self._notice(addressee, record, request, proof)
        if notice.is_unknown:
            metrics.UNKNOWN_STATUSES.add(provider=self._registry.counted_as(notice.job.provider))
            log.warning("unknown_status", provider=notice.job.provider, task_id=str(notice.job.key))
        return notice if notice.is_news else NOTED

    def _proof(self, addressee: Addressee, request: Request) -> Proof:
        callback, webhook = addressee.callback, addressee.webhook
        about = {"account": callback.account, "provider": callback.provider}
        try:
            secrets = secrets_of(webhook, callback.provider_account)
            return prove(webhook, request, secrets, self._keys, self._clock(), addressee.address)
        except Unproven as found:
            metrics.UNPROVEN_WEBHOOKS.add(reason=found.why)
            log.warning("webhook_unproven", why=found.why.value, **about)
            raise Declined(unproven(found.why.value, is_malformed=found.why in MALFORMED)) from None
        except Failure as failure:
            log.warning("webhook_waits_for_proof", reason=failure.reason.value, **about, **failure.evidence)
            raise Declined(AWAY) from None

    def _notice(self, addressee: Addressee, record: Any, request: Request, proof: Proof) -> Notice:
        callback, webhook = addressee.callback, addressee.webhook
        entry, report = self._registry.find(callback.provider), _report(webhook, record)
        if report.model and (of_model := self._registry.find(callback.provider, report.model)) is not entry:
            # How it is proven never depends on what it says; how it is read may.
            entry, webhook = of_model, of_model.webhook or webhook
            report = _report(webhook, record)
        if report.job_id is None:
            raise Declined(unreadable("no job id where the provider's entry looks for it"))
        job = Job(callback.account, callback.provider, callback.provider_account, report.job_id)
        return Notice(job, report, entry, proof.binds_body and webhook.reports, _traceparent(request))


def _parsed(body: bytes, most_bytes: int) -> Any:
    try:
        return parse_json(body, most_bytes, DEEPEST)
    except Rejected as rejected:
        raise Declined(unreadable(f"{rejected.reason}: {rejected.detail}")) from None


def _report(webhook: Webhook, record: Any) -> Report:
    try:
        return read(webhook, record)
    except Unreadable as error:
        raise Declined(unreadable(f"the provider's entry does not fit the body ({error})")) from None


def _challenge(webhook: Webhook, record: Any) -> str | int | None:
    """The value that the provider wants back; None for a webhook about a job."""
    try:
        value = jmespath.search(webhook.challenge, record) if webhook.challenge else None
    except JMESPathError:
        return None
    if value is None or (isinstance(value, str | int) and len(str(value)) <= MOST_CHALLENGE):
        return value
    raise Declined(unreadable("the challenge is neither a short text nor a number"))


def _traceparent(request: Request) -> str | None:
    found = request.values("traceparent")
    return found[0].decode("latin-1") if len(found) == 1 else None
