"""The review hook: an operator's HTTP service says of each proven file whether it passes, and what is in it."""

import json
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from standardwebhooks import Webhook as Signer

from services.verifier.hooks import Opinion, Subject
from services.verifier.hooks.outage import Outage
from shared.egress import Answer, Policy, fetch, parse
from shared.egress.trail import Trail
from shared.errors import Failure
from shared.objects import Store
from shared.reasons import Reason

LINK_SECONDS = 600
"""How long the link to the staged object is good."""
MAX_ANSWER_BYTES = 16 * 1024
ABOUT_ONE_FILE = frozenset({400, 413, 422, 500})
"""Statuses that may mean this file alone; any other that is no success tells of the hook as a whole."""


class Word(BaseModel):
    """What the hook answers; anything else is no answer."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    verdict: Literal["pass", "reject", "hold"]
    flags: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")], ...] = Field((), max_length=32)
    note: str = Field("", max_length=500)


class Review:
    """Asks the hook at `url`, each question signed by `signer` if there is one, within `seconds`."""

    name = "review"

    def __init__(self, url: str, policy: Policy, store: Store, signer: Signer | None, seconds: float) -> None:
        self._url, self._policy, self._store, self._signer, self._seconds = url, policy, store, signer, seconds
        self._outage = Outage()

    def check(self) -> None:
        """Raise Failure(REVIEWER) while it is away; every few seconds a real question tells whether it still is."""
        if self._outage.lasts:
            raise Failure(Reason.REVIEWER, {"detail": "the review hook was away a moment ago"})

    def judge(self, subject: Subject) -> Opinion:
        """What it says. Raises Failure: REVIEW_REJECTED, or REVIEWER where there is no good answer."""
        claim = subject.claim
        link = self._store.link(
            claim.staged_bucket or "", claim.staged_key or "", claim.staged_version, seconds=LINK_SECONDS
        )
        try:
            word = self._asked(subject, link)
        except Failure as failure:
            surely = failure.evidence.get("status", 0) not in ABOUT_ONE_FILE and "faults" not in failure.evidence
            self._outage.failed(claim.task_id, surely=surely)
            raise
        self._outage.ended()
        evidence = {"verdict": word.verdict, "flags": list(word.flags), "note": _without(link, word.note)}
        if word.verdict == "reject":
            raise Failure(Reason.REVIEW_REJECTED, evidence)
        return Opinion(hold=word.verdict == "hold", flags=word.flags, evidence=evidence)

    def _asked(self, subject: Subject, link: str) -> Word:
        body = json.dumps(_question(subject, link)).encode()
        headers = {"Content-Type": "application/json", **self._signature(subject, body)}
        deadline = monotonic() + self._seconds
        try:
            with fetch(
                self._url,
                self._policy,
                method="POST",
                headers=headers,
                body=body,
                deadline=deadline,
                stopping=subject.stopping,
            ) as answer:
                return _word(answer)
        except Failure as failure:
            if failure.reason is Reason.REVIEWER:
                raise
            evidence = {"detail": "the review hook cannot be asked", "cause": str(failure.reason), **failure.evidence}
            raise Failure(Reason.REVIEWER, evidence) from None

    def _signature(self, subject: Subject, body: bytes) -> dict[str, str]:
        """The headers of Standard Webhooks; none without a secret."""
        if self._signer is None:
            return {}
        now, message_id = datetime.now(UTC), f"{subject.claim.task_id}.{subject.claim.epoch}"
        return {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._signer.sign(message_id, now, body.decode()),
        }


def _question(subject: Subject, link: str) -> dict[str, object]:
    claim, facts = subject.claim, subject.facts
    return {
        "task_id": str(claim.task_id),
        "account": claim.account,
        "kind": str(facts.kind),
        "content_type": facts.content_type,
        "size": claim.staged_size,
        "sha256": subject.sha256,
        "facts": facts.model_dump(mode="json", exclude_none=True),
        "url": link,
    }


def _word(answer: Answer) -> Word:
    if not 200 <= answer.status < 300:
        whose = "its address or our secret may be wrong" if 400 <= answer.status < 500 else "it has a fault"
        raise _nonsense(f"the review hook answered {answer.status}: {whose}", status=answer.status)
    body = bytearray()
    for piece in answer.stream():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise _nonsense("the answer of the review hook is too long", faults=[])
    try:
        return Word.model_validate_json(bytes(body))
    except ValidationError as error:
        # Names of fields and kinds of faults, never what was sent.
        faults = [f"{'.'.join(map(str, fault['loc']))[:60]}: {fault['type']}" for fault in error.errors()[:5]]
        raise _nonsense("the answer of the review hook is no verdict", faults=faults) from None


def _nonsense(detail: str, **evidence: object) -> Failure:
    return Failure(Reason.REVIEWER, {"detail": detail, **evidence})


def _without(link: str, note: str) -> str:
    """The note without any part of the link, which the hook may have told back."""
    trail = Trail()
    trail.start(parse(link))
    return trail.conceal(note)
