"""One question to a provider's API, and the document that answers it."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from shared.egress import Answer, Policy, Refused, fetch, parse, retry_after
from shared.errors import Evidence, Failure
from shared.providers.entry import Provider, Question
from shared.providers.fields import filled, filled_body
from shared.providers.keys import OTHER_KEY, Key
from shared.reasons import Reason

RECORD_BYTES = 16 * 2**20
"""Largest document that is read, in bytes; outputs may be in it as `data:` links."""
WORDS_OF_A_REFUSAL = ("error.message", "detail[0].msg", "detail", "message", "error")
"""Where providers put their words about a failure, the likeliest first."""


@dataclass(frozen=True)
class Document:
    """What a provider answered; `wait` is how long it asked to wait, in seconds."""

    value: Any = field(repr=False)
    wait: float | None


class Unknown(Failure):
    """The provider does not know the job: it forgot it, or it never was one of this key's."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(Reason.JOB_RECORD_GONE, evidence)


@contextmanager
def with_key(key: Key | None) -> Iterator[None]:
    """Inside, a job that is Unknown to a key which took the place of another is credential_refused, not lost."""
    try:
        yield
    except Unknown as unknown:
        if key and key.is_newer:
            raise Failure(Reason.CREDENTIAL_REFUSED, {**unknown.evidence, "why": OTHER_KEY}) from None
        raise


def address(
    provider: Provider, question: Question, job_id: str, output_id: str = "", given: str | None = None
) -> str | None:
    """Where to ask about a job: at the address that an event gave, if it lies on the provider's API, else the entry's.

    The key is sent there, so an address from outside counts only on the origin of the entry's own or of its credential.
    None where neither is to be had.
    """
    own = filled(question.url, job_id, output_id) if question.url else None
    if given is None:
        return own
    with suppress(Refused):
        target = parse(given)
        if (own and parse(own).origin == target.origin) or (provider.credential and provider.credential.is_for(target)):
            return given
    return own


def ask(
    question: Question,
    url: str,
    names: tuple[str, str],
    key: Key | None,
    policy: Policy,
    deadline: float,
    *,
    follow: str | None = None,
    head: bool = False,
    stopping: Callable[[], bool] = lambda: False,
) -> Document:
    """Ask for a job record; `names` are the job's id and the output's, `deadline` is of `time.monotonic()`.

    `follow` is where the record says at which address the outputs stand: such an address on the same origin is asked
    too and its document is the answer. With `head` only status and headers are read, and are the document.
    Raises Failure: Unknown for 404 and 410, credential_refused for 401 and 403, rate_limited, provider_failed for a
    refusal behind `follow`, source_unavailable for every other answer and what is not JSON, too_large, or what the
    guard refuses. `stopping` is asked while waiting, and raises Stopping.
    """
    try:
        document = _asked(question, url, names, key, policy, deadline, stopping, head=head)
        further = _address(follow, document.value)
        if further is None or parse(further).origin != parse(url).origin:
            return document
        return _asked(Question(headers=question.headers), further, names, key, policy, deadline, stopping, behind=True)
    except Refused as refused:
        raise Failure(Reason.BLOCKED_ADDRESS, {"refused": refused.why}) from None


def _asked(
    question: Question,
    url: str,
    names: tuple[str, str],
    key: Key | None,
    policy: Policy,
    deadline: float,
    stopping: Callable[[], bool],
    *,
    head: bool = False,
    behind: bool = False,
) -> Document:
    body = filled_body(question.body, *names) if question.body is not None else None
    headers = {"Accept": "*/*" if head else "application/json", **question.headers}
    if body is not None:
        headers["Content-Type"] = "application/json"
    credential = key.headers if key else None
    with fetch(
        url,
        policy,
        method=question.method,
        headers=headers,
        credential=credential,
        deadline=deadline,
        body=body,
        stopping=stopping,
    ) as answer:
        wait = retry_after(answer.headers, datetime.now(UTC) + timedelta(seconds=answer.clock_offset or 0.0))
        if not 200 <= answer.status < 300:
            raise _refusal(answer, wait, behind=behind)
        if head:
            return Document({"status": answer.status, "headers": _headers(answer)}, wait)
        return Document(_json(answer), wait)


def _headers(answer: Answer) -> Mapping[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}


def _json(answer: Answer) -> Any:
    body = bytearray()
    for chunk in answer.stream():
        body += chunk
        if len(body) > RECORD_BYTES:
            raise Failure(Reason.TOO_LARGE, {"answer": "the job record", "limit_bytes": RECORD_BYTES})
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Failure(Reason.SOURCE_UNAVAILABLE, {"answer": "the job record is not JSON"}) from None


def _refusal(answer: Answer, wait: float | None, *, behind: bool) -> Failure:
    status = answer.status
    evidence: Evidence = {"answer_status": status}
    if status in (404, 410):
        return Unknown(evidence)
    if status in (401, 403):
        return Failure(Reason.CREDENTIAL_REFUSED, evidence)
    if status == 429:
        return Failure(Reason.RATE_LIMITED, evidence, retry_after=wait)
    if behind and status in (400, 422):
        return Failure(Reason.PROVIDER_FAILED, {**evidence, "provider_error": _words(answer)})
    return Failure(Reason.SOURCE_UNAVAILABLE, evidence, retry_after=wait)


def _words(answer: Answer) -> str:
    """The provider's words in a refusal, at most 200 characters."""
    with suppress(Failure, JMESPathError):
        value = _json(answer)
        for expression in WORDS_OF_A_REFUSAL:
            if isinstance(found := jmespath.search(expression, value), str) and found:
                return answer.conceal(found)[:200]
    return f"HTTP {answer.status}"


def _address(expression: str | None, record: Any) -> str | None:
    found = None
    with suppress(JMESPathError):
        found = jmespath.search(expression, record) if expression else None
    return found if isinstance(found, str) else None
