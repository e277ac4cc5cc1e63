"""The act of the downloader: the bytes behind one address into one upload, counted, hashed and judged."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from services.downloader.bandwidth import UNLIMITED, Bandwidth
from services.downloader.coding import decoded
from services.downloader.data_uri import content_of, is_data_uri
from services.downloader.declared import declared_type
from services.downloader.endings import Ending
from services.downloader.evidence import Sighting
from services.downloader.fetching import fetched
from services.downloader.order import Limits, Order, Proof, Received, Sink
from services.downloader.output import output_of
from services.downloader.parting import Parting
from services.downloader.refusal import mismatch
from shared.egress import Policy
from shared.errors import Failure
from shared.reasons import Reason

__all__ = ["Limits", "Order", "Received", "Sink", "transfer"]


def transfer(
    order: Order,
    sink: Sink,
    policy: Policy,
    limits: Limits,
    *,
    progress: Callable[[int], None],
    seconds_to_stop: Callable[[], float | None],
    bandwidth: Bandwidth = UNLIMITED,
) -> Received:
    """Make the request of `order` and stream the output in its answer into `sink`, in bounded memory.

    A body that breaks off is resumed where its version is certain; the bytes of a `data:` URI come from itself.
    `progress` hears after every block how many bytes came over the wire; what it raises ends the transfer.
    `seconds_to_stop` gives None while the process runs on, else the seconds left: a transfer that does not fit
    into them, by what was seen of it, ends with Stopping within half a second. `bandwidth` is shared with others.
    Raises Failure with evidence, Stopping; whatever is raised, the sink is aborted first.
    """
    seen = Sighting()
    try:
        watch = _Watch(seen, progress, Parting(seen, seconds_to_stop).is_due, bandwidth)
        return _run(order, sink, policy, limits, watch)
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
    bandwidth: Bandwidth

    def over(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.seen.received(block)
            self.progress(self.seen.wire_bytes)
            yield block


def _run(order: Order, sink: Sink, policy: Policy, limits: Limits, watch: _Watch) -> Received:
    seen, ending = watch.seen, Ending()
    with _content(order, policy, limits, watch) as blocks:
        digest = _store(order, blocks, sink, seen, ending)
    if failure := mismatch(order, seen, digest):
        raise failure
    uploaded, proof = sink.complete(), _proof(order, seen, ending)
    evidence = {**seen.evidence(), "length_proven": proof is not None, "proven_by": proof}
    return Received(seen.stored_bytes, digest, uploaded, proof, evidence, _declared_type(order, seen))


@contextmanager
def _content(order: Order, policy: Policy, limits: Limits, watch: _Watch) -> Iterator[Iterator[bytes]]:
    """The bytes to store, in blocks."""
    if is_data_uri(order.url):
        yield watch.over(content_of(order.url))
        return
    with fetched(order, policy, limits, watch.seen, watch.stopping) as blocks:
        body = watch.over(watch.bandwidth.through(blocks, watch.stopping))
        yield output_of(order, watch.seen, decoded(body, watch.seen.coding, limits.max_ratio))


def _store(order: Order, blocks: Iterator[bytes], sink: Sink, seen: Sighting, ending: Ending) -> str:
    """Write, count and hash all; returns the SHA-256 in hexadecimal."""
    digest = sha256()
    for block in blocks:
        if seen.stored_bytes + len(block) > order.max_bytes:
            raise Failure(Reason.TOO_LARGE, {"limit_bytes": order.max_bytes})
        sink.write(block)
        digest.update(block)
        ending.see(block)
        seen.stored_bytes += len(block)
    if not seen.stored_bytes:
        raise Failure(Reason.EMPTY_BODY)
    return digest.hexdigest()


def _declared_type(order: Order, seen: Sighting) -> str | None:
    """What the answer called the output; a document around it tells nothing of it."""
    is_inside = seen.answer is None or order.endpoint.base64 is not None
    return None if seen.answer is None or is_inside else declared_type(seen.answer.headers.getlist("content-type"))


def _proof(order: Order, seen: Sighting, ending: Ending) -> Proof | None:
    """What shows that the stored bytes are whole."""
    if seen.answer is None:
        return "uri"
    if seen.answer.framing != "close":
        return seen.answer.framing
    if seen.coding:
        return "coding"
    if order.endpoint.base64 is not None:
        return "document"
    if order.declared_size is not None or order.declared_sha256 is not None:
        return "declared"
    return "container" if ending.is_whole else None
