"""What in a PDF acts without a press, plays, or leads somewhere else, and what a press may do."""

from collections.abc import Callable

import pytest
from pypdf.generic import ArrayObject, ByteStringObject, DictionaryObject, NameObject, PdfObject, TextStringObject

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import pdf_with_action, pdf_with_annotation
from tests.media.odd_pdfs import pdf_with_entry, pdf_with_stream, updated

UNASKED = ["/GoToR", "/GoToE", "/URI", "/SubmitForm", "/Sound", "/Movie", "/Rendition", "/Thread", "/Unknown"]
TURN: dict[str, PdfObject] = {"/S": NameObject("/Named"), "/N": NameObject("/NextPage")}
PRINT: dict[str, PdfObject] = {"/S": NameObject("/Named"), "/N": NameObject("/Print")}
JUMP: dict[str, PdfObject] = {"/S": NameObject("/GoTo"), "/D": TextStringObject("start")}
LOOP = b"<< /S /GoTo /D (start) /Next 8 0 R >>"
OUTSIDE = TextStringObject("/etc/passwd")


def action(name: str) -> DictionaryObject:
    """An action that leads to a page of the web."""
    address = TextStringObject("https://example.com/")
    return DictionaryObject({NameObject("/S"): NameObject(name), NameObject("/URI"): address})


def link(address: str | bytes) -> dict[str, PdfObject]:
    """The action of a link to this address."""
    text = TextStringObject(address) if isinstance(address, str) else ByteStringObject(address)
    return {"/S": NameObject("/URI"), "/URI": text}


def is_active(verdict: Verdict) -> bool:
    return (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "no_active_content")


@pytest.mark.parametrize("name", UNASKED)
def test_what_needs_no_press_may_only_turn_pages(name: str, examine: Callable[..., Verdict]) -> None:
    opening = pdf_with_entry("OpenAction", dict(action(name)), indirect=True)
    assert is_active(examine(opening, Kind.PDF))
    assert is_active(examine(pdf_with_action(name), Kind.PDF))


def test_a_document_that_prints_itself_is_active(examine: Callable[..., Verdict]) -> None:
    assert is_active(examine(pdf_with_entry("OpenAction", PRINT), Kind.PDF))


@pytest.mark.parametrize("entry", [TURN, JUMP], ids=["turn", "jump"])
def test_a_document_may_open_at_a_page(entry: dict[str, PdfObject], accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf_with_entry("OpenAction", entry), Kind.PDF).pages == 1
    assert accepted(pdf_with_entry("field", entry, indirect=True), Kind.PDF).pages == 1


@pytest.mark.parametrize("many", [False, True])
def test_what_follows_an_action_needs_no_press_either(many: bool, examine: Callable[..., Verdict]) -> None:
    after: PdfObject = ArrayObject([DictionaryObject(), action("/URI")]) if many else action("/URI")
    assert is_active(examine(pdf_with_entry("OpenAction", {**JUMP, "/Next": after}), Kind.PDF))


def test_actions_that_follow_one_another_without_end_are_unsafe(examine: Callable[..., Verdict]) -> None:
    data = pdf_with_entry("OpenAction", JUMP, indirect=True)
    assert b"/OpenAction 8 0 R" in data
    data = updated(data, 8, LOOP)
    assert examine(data, Kind.PDF).reason is Reason.UNSAFE_MEDIA


def test_a_thing_that_is_only_called_aa_is_no_action(accepted: Callable[..., Facts]) -> None:
    mask = DictionaryObject({NameObject("/S"): NameObject("/Luminosity")})
    assert accepted(pdf_with_entry("AA", {"/SMask": mask}), Kind.PDF).pages == 1


HARMLESS = ["https://example.com/a", "HTTP://example.com", "mailto:a@example.com", "tel:+4912345"]
NO_SCHEME = ["page.html#a:b", "www.example.com:8080/a", "www.example.com"]


@pytest.mark.parametrize("address", HARMLESS + NO_SCHEME)
def test_a_link_to_press_is_no_active_content(address: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf_with_entry("annotation", link(address)), Kind.PDF).pages == 1


HARMFUL = ["javascript:alert(1)", "file:///c:/calc.exe", " java\tscript:1", "data:text/html,a", "ms-word:ofe", "a.b:1c"]


@pytest.mark.parametrize("address", [*HARMFUL, b"file:///\xff"])
def test_a_link_to_a_program_is_active_content(address: str | bytes, examine: Callable[..., Verdict]) -> None:
    assert is_active(examine(pdf_with_entry("annotation", link(address)), Kind.PDF))


def test_links_that_all_begin_with_a_program_are_active_content(examine: Callable[..., Verdict]) -> None:
    assert is_active(examine(pdf_with_entry("URI", {"/Base": TextStringObject("javascript:")}), Kind.PDF))


@pytest.mark.parametrize("subtype", ["/RichMedia", "/Movie", "/Screen", "/3D", "/Sound"])
def test_a_player_is_active_content(subtype: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(pdf_with_annotation(subtype), Kind.PDF)
    assert (is_active(verdict), verdict.detail) == (True, f"the PDF holds {subtype[1:]}")


def test_a_mark_on_a_page_is_no_player(accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf_with_annotation("/Highlight"), Kind.PDF).pages == 1


@pytest.mark.parametrize("place", [OUTSIDE, DictionaryObject({NameObject("/F"): OUTSIDE})], ids=["name", "dictionary"])
def test_a_stream_in_another_file_is_active_content(place: PdfObject, examine: Callable[..., Verdict]) -> None:
    assert is_active(examine(pdf_with_stream(b"", F=place), Kind.PDF))
