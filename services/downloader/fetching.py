"""The bytes behind an address as they come over the wire, once the head of the answer is good."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import monotonic

from services.downloader.coding import coding_of
from services.downloader.evidence import Sighting
from services.downloader.order import Limits, Order
from services.downloader.patience import most_seconds
from services.downloader.refusal import refusal
from services.downloader.resume import Body
from shared.egress import Answer, Policy, fetch
from shared.errors import Failure
from shared.reasons import Reason


@contextmanager
def fetched(
    order: Order, policy: Policy, limits: Limits, seen: Sighting, stopping: Callable[[], bool]
) -> Iterator[Iterator[bytes]]:
    """Ask at the address of `order` and give the raw blocks of a good answer; raises Failure, Stopping."""
    endpoint = order.endpoint
    with ExitStack() as connections:

        def ask(headers: Mapping[str, str]) -> Answer:
            connections.close()
            call = fetch(
                order.url,
                policy,
                method=endpoint.method,
                headers={**endpoint.headers, **headers},
                body=endpoint.body,
                credential=order.credential,
                deadline=order.deadline,
                stopping=stopping,
            )
            answer = connections.enter_context(call)
            order.clock.hear(answer.clock_offset)
            return answer

        answer = seen.answer = ask({})
        _admit(order, answer, seen)
        until = min(order.deadline, monotonic() + most_seconds(answer.content_length, limits, _left(order)))
        resumed = limits if endpoint.is_resumable else replace(limits, resumes=0)
        yield Body(resumed, seen, ask, stopping, lambda: _has_ended(order), until).blocks(answer)


def _admit(order: Order, answer: Answer, seen: Sighting) -> None:
    """Refuse by the head alone what cannot become the output."""
    if answer.status != 200:
        raise refusal(order, answer, seen)
    if answer.headers.get("content-range"):
        # No range was asked for, so this would be some part of the output under a 200.
        raise Failure(Reason.PROTOCOL_VIOLATION, {"violation": "content_range"})
    seen.codes(coding_of(answer.headers))
    length = answer.content_length
    if length == 0:
        raise Failure(Reason.EMPTY_BODY)
    if order.endpoint.base64 is None and length is not None:
        _admit_length(order, length, seen)


def _admit_length(order: Order, length: int, seen: Sighting) -> None:
    """Refuse by its announced length a body that is the output."""
    if length > order.max_bytes:
        raise Failure(Reason.TOO_LARGE, {"limit_bytes": order.max_bytes, "announced_bytes": length})
    if seen.coding is None and order.declared_size not in (None, length):
        evidence = {"declared_bytes": order.declared_size, "announced_bytes": length}
        raise Failure(Reason.SIZE_MISMATCH, evidence)


def _left(order: Order) -> float | None:
    """Seconds until the source deletes the bytes; None if it does not, or nobody knows."""
    return (order.deleted_at - order.clock.now()).total_seconds() if order.deleted_at else None


def _has_ended(order: Order) -> bool:
    now = order.clock.now()
    return any(end is not None and now >= end for end in (order.url_expires_at, order.deleted_at))
