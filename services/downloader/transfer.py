"""The act of the downloader: the bytes of one link into one upload, counted, hashed and judged."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic

from services.downloader.coding import coding_of, decoded
from services.downloader.evidence import Sighting
from services.downloader.opening import LOOK_BYTES, is_error_page, opened
from services.downloader.order import Limits, Order, Received, Sink
from services.downloader.pace import paced
from services.downloader.refusal import READ_BYTES, mismatch, refusal, refusal_of_page
from shared.egress import Answer, Policy, fetch
from shared.errors import Failure, Stopping
from shared.reasons import Reason

__all__ = ["Limits", "Order", "Received", "Sink", "transfer"]


def transfer(
    order: Order,
    sink: Sink,
    policy: Policy,
    limits: Limits,
    *,
    progress: Callable[[int], None],
    stopping: Callable[[], bool],
) -> Received:
    """Fetch the link of `order` with one GET and stream it into `sink`, in bounded memory.

    `progress` hears after every block how many bytes came over the wire; what it raises ends the transfer.
    `stopping` is asked before every block and twice a second while waiting.
    Raises Failure with evidence, Stopping; whatever is raised, the sink is aborted first.
    """
    seen = Sighting()
    try:
        return _run(order, sink, policy, limits, _Watch(seen, progress, stopping))
    except Failure as failure:
        sink.abort()
        evidence = {**seen.evidence(), **failure.evidence}
        raise Failure(failure.reason, evidence, retry_after=failure.retry_after) from None
    except BaseException:
        sink.abort()
        raise


@dataclass(frozen=True)
class _Watch:
    """Sees every block as it comes over the wire."""

    seen: Sighting
    progress: Callable[[int], None]
    stopping: Callable[[], bool]

    def over(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            if self.stopping():
                raise Stopping
            self.seen.received(block)
            self.progress(self.seen.wire_bytes)
            yield block


def _run(order: Order, sink: Sink, policy: Policy, limits: Limits, watch: _Watch) -> Received:
    deadline, seen = min(order.deadline, monotonic() + limits.total_seconds), watch.seen
    with fetch(order.url, policy, credential=order.credential, deadline=deadline, stopping=watch.stopping) as answer:
        seen.answer = answer
        _admit(order, answer, seen)
        blocks = watch.over(paced(answer.stream(), limits.min_bytes_per_second, limits.pace_seconds))
        digest = _store(order, decoded(blocks, seen.coding, limits.max_ratio), sink, seen)
    if failure := mismatch(order, seen, digest):
        raise failure
    is_declared = order.declared_size is not None or order.declared_sha256 is not None
    proven = answer.framing != "close" or seen.coding is not None or is_declared
    uploaded = sink.complete()
    return Received(seen.stored_bytes, digest, uploaded, proven, {**seen.evidence(), "length_proven": proven})


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
    if length is not None and length > order.max_bytes:
        raise Failure(Reason.TOO_LARGE, {"limit_bytes": order.max_bytes, "announced_bytes": length})
    if seen.coding is None and length is not None and order.declared_size not in (None, length):
        evidence = {"declared_bytes": order.declared_size, "announced_bytes": length}
        raise Failure(Reason.SIZE_MISMATCH, evidence)


def _store(order: Order, blocks: Iterator[bytes], sink: Sink, seen: Sighting) -> str:
    """Look at the beginning, then write, count and hash all; returns the SHA-256 in hexadecimal."""
    first, blocks = opened(blocks, LOOK_BYTES)
    if is_error_page(first):
        raise refusal_of_page(order, seen, opened(blocks, READ_BYTES)[0])
    digest = sha256()
    for block in blocks:
        if seen.stored_bytes + len(block) > order.max_bytes:
            raise Failure(Reason.TOO_LARGE, {"limit_bytes": order.max_bytes})
        sink.write(block)
        digest.update(block)
        seen.stored_bytes += len(block)
    if not seen.stored_bytes:
        raise Failure(Reason.EMPTY_BODY)
    return digest.hexdigest()
