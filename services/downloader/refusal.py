"""The failure that an answer means, with what was seen of it."""

import re
from time import monotonic

from services.downloader.classify import Moment, reason_of
from services.downloader.coding import coding_of, decoded
from services.downloader.evidence import Sighting
from services.downloader.order import Limits, Order
from shared.egress import Answer, retry_after
from shared.errors import Failure
from shared.providers.keys import OTHER_KEY
from shared.reasons import Reason

READ_BYTES = 4096
"""Bytes of an error body that are read for its meaning."""

_READ_SECONDS = 5.0
_SAYS_ERROR = re.compile(rb"\"errors?\"\s*:\s*+(?!null|false|0|\"\"|\[\s*\]|\{\s*\})", re.IGNORECASE)


def refusal(order: Order, answer: Answer, seen: Sighting) -> Failure:
    """The failure that an answer other than 200 means; reads the beginning of its body."""
    body = _beginning(answer)
    seen.saw_error_body(body)
    moment = moment_of(order, answer)
    reason = reason_of(answer.status, body, moment)
    return Failure(reason, _why(reason, answer), retry_after=retry_after(answer.headers, moment.now))


def _why(reason: Reason, answer: Answer) -> dict[str, object] | None:
    if reason is Reason.CREDENTIAL_REFUSED and answer.status not in (401, 403):
        return {"why": OTHER_KEY}
    # Good HTTP perhaps, but a part that nobody asked for, or a redirect to nowhere.
    return {"violation": f"status_{answer.status}"} if reason is Reason.PROTOCOL_VIOLATION else None


def refusal_of_page(order: Order, seen: Sighting, body: bytes) -> Failure:
    """The failure that an error page under a 200 means."""
    assert seen.answer is not None
    seen.saw_error_body(body)
    return Failure(reason_of(200, body, moment_of(order, seen.answer)))


def refusal_of_document(order: Order, seen: Sighting, body: bytes, why: str) -> Failure:
    """The failure that a JSON answer under a 200 means which holds no output; `body` is its beginning."""
    failure = refusal_of_page(order, seen, body)
    says_error = failure.reason is not Reason.ERROR_BODY or _SAYS_ERROR.search(body)
    return Failure(failure.reason if says_error else Reason.NO_OUTPUT, {"why": why})


def mismatch(order: Order, seen: Sighting, digest: str) -> Failure | None:
    """The failure when the stored bytes differ from what the event declared.

    A declaration may also be of the coded bytes, when the source sent such, but not of a document around the output.
    """
    is_inside = order.endpoint.base64 is not None
    sizes, digests = {seen.stored_bytes}, {digest}
    if seen.wire_sha256 and not is_inside:
        sizes.add(seen.wire_bytes)
        digests.add(seen.wire_sha256)
    if order.declared_size is not None and order.declared_size not in sizes:
        evidence = {"declared_bytes": order.declared_size}
        ended_by_close = seen.answer is not None and seen.answer.framing == "close" and not is_inside
        is_short = ended_by_close and seen.stored_bytes < order.declared_size
        return Failure(Reason.TRUNCATED if is_short else Reason.SIZE_MISMATCH, evidence)
    if order.declared_sha256 is not None and order.declared_sha256 not in digests:
        return Failure(Reason.DECLARED_MISMATCH, {"declared_sha256": order.declared_sha256, "sha256": digest})
    return None


def moment_of(order: Order, answer: Answer) -> Moment:
    """What is known at this moment, by the source's own clock where it told."""
    now, since_ready = order.clock.now(), order.clock.seconds_since(order.ready_at)
    return Moment(now, since_ready, order.url_expires_at, answer.credentialed, order.credential_is_newer)


def _beginning(answer: Answer) -> bytes:
    taken = b""
    try:
        coding = coding_of(answer.headers)
        for block in decoded(answer.stream(until=monotonic() + _READ_SECONDS), coding, Limits.max_ratio):
            taken += block[: READ_BYTES - len(taken)]
            if len(taken) == READ_BYTES:
                break
    except Failure:
        # The status is the news; an error body that is cut, slow or coded oddly changes nothing about it.
        return taken
    return taken
