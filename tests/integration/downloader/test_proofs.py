"""What shows that a body was whole, and how long its transfer may take, against a real source."""

import time

import pytest

from services.downloader.transfer import Limits
from shared.egress import Policy
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, chunks, closing, head
from tests.faults.server import Line
from tests.faults.sinks import CountingSink
from tests.integration.downloader.acts import VIDEO, Act
from tests.media.documents import pdf
from tests.media.moving import video
from tests.media.pictures import picture


@pytest.mark.parametrize("make", [picture, video, pdf])
def test_case_46_a_container_that_states_its_end_proves_a_body_that_ends_by_close(make: object) -> None:
    body: bytes = make()  # type: ignore[operator]
    received, _ = Act(closing(body)).received()
    assert (received.length_proven, received.proven_by, received.evidence["proven_by"]) == (
        True,
        "container",
        "container",
    )


@pytest.mark.parametrize("make", [picture, video, pdf])
def test_fr20_and_case_46_a_body_cut_at_the_close_is_not_proven(make: object) -> None:
    body: bytes = make()  # type: ignore[operator]
    received, _ = Act(closing(body[: len(body) // 2])).received()
    assert (received.length_proven, received.proven_by, received.evidence["length_proven"]) == (False, None, False)


def test_the_proof_is_named() -> None:
    assert Act(answer(VIDEO)).received()[0].proven_by == "length"
    assert Act(chunked(VIDEO)).received()[0].proven_by == "chunked"
    assert Act(closing(VIDEO), declared_size=len(VIDEO)).received()[0].proven_by == "declared"
    assert Act(closing(VIDEO)).received()[0].proven_by is None


@pytest.mark.parametrize(("field", "seconds"), [(f"Content-Length: {4 * 2**30}", 1.2), ("X-No-Length: 1", 0.3)])
def test_the_announced_size_scales_the_total_deadline(field: str, seconds: float) -> None:
    def steady(line: Line) -> None:
        line.send(head(200, field))
        while True:
            line.drip(bytes(65536), every=0.02, size=10**6)

    began = time.monotonic()
    failure = Act(steady, max_bytes=2**40, limits=Limits(total_seconds=0.3)).failed(CountingSink())
    assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "body")
    assert seconds <= time.monotonic() - began < seconds + 0.7


def test_a_deletion_ends_a_transfer_and_the_end_of_a_signed_link_does_not() -> None:
    patient = Policy(http=True, idle_seconds=30.0)

    def slow(line: Line) -> None:
        line.send(head(200, "Transfer-Encoding: chunked"))
        line.drip(chunks([bytes(100)] * 20), every=0.06, size=106)
        line.send(b"0\r\n\r\n")

    limits = Limits(min_bytes_per_second=0.0, overtime_seconds=0.3)
    assert Act(slow, policy=patient, limits=limits, expires_in=0.4).received()[0].size == 2000
    assert Act(slow, policy=patient, limits=limits, deleted_in=-1.0).received()[0].size == 2000
    failure = Act(slow, policy=patient, limits=limits, deleted_in=0.2).failed()
    assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "body")
