"""PDF: pages, passwords, active content, damage and bombs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import pdf, pdf_with_action, pdf_with_bomb, pdf_with_script


def test_a_good_pdf_is_accepted_with_its_pages(accepted: Callable[..., Facts]) -> None:
    facts = accepted(pdf(3), Kind.PDF)
    assert (facts.pages, facts.content_type, facts.extension) == (3, "application/pdf", "pdf")


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_cut_pdf_is_truncated(share: float, examine: Callable[..., Verdict]) -> None:
    data = pdf(30)
    verdict = examine(data[: int(len(data) * share)], Kind.PDF)
    assert (verdict.reason, verdict.detail) == (Reason.UNDECODABLE, "truncated: the PDF has no end mark")


def test_a_pdf_that_needs_a_password_is_encrypted(examine: Callable[..., Verdict]) -> None:
    assert examine(pdf(password="secret"), Kind.PDF).reason is Reason.ENCRYPTED


def test_a_pdf_that_everybody_can_read_is_accepted_though_an_owner_locked_it(
    accepted: Callable[..., Facts],
) -> None:
    assert accepted(pdf(owner_password="secret"), Kind.PDF).notes == ("owner_password",)


def test_a_script_is_active_content(examine: Callable[..., Verdict]) -> None:
    assert examine(pdf_with_script(), Kind.PDF).reason is Reason.ACTIVE_CONTENT


@pytest.mark.parametrize("action", ["/Launch", "/JavaScript", "/ImportData"])
def test_an_action_that_runs_something_is_active_content(action: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(pdf_with_action(action), Kind.PDF)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "no_active_content")


def test_an_action_with_a_disguised_name_is_active_content(examine: Callable[..., Verdict]) -> None:
    data = pdf_with_action("/Launch").replace(b"/Launch", b"/#4c#61unch")
    assert examine(data, Kind.PDF).reason is Reason.ACTIVE_CONTENT


@pytest.mark.parametrize("size", [50_000_000, 200_000_000], ids=["beyond our limit", "beyond the reader's"])
def test_drawing_commands_that_unpack_without_end_are_unsafe(size: int, examine: Callable[..., Verdict]) -> None:
    limits = replace(Limits(), pdf_page_bytes=10_000_000)
    assert examine(pdf_with_bomb(size), Kind.PDF, limits).reason is Reason.UNSAFE_MEDIA


def test_too_many_pages_or_objects_or_bytes_are_unsafe(examine: Callable[..., Verdict]) -> None:
    for limits in (Limits(pages=2), Limits(pdf_objects=3), Limits(pdf_bytes=100)):
        assert examine(pdf(3), Kind.PDF, limits).reason is Reason.UNSAFE_MEDIA


def test_a_pdf_without_pages_is_undecodable(examine: Callable[..., Verdict]) -> None:
    assert examine(pdf(0), Kind.PDF).reason is Reason.UNDECODABLE
