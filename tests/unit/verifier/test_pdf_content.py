"""What hides in a PDF: bombs in any stream, actions in any place, attachments, updates, loops."""

import zlib
from base64 import a85encode
from collections.abc import Callable

import pytest
from pypdf.generic import NameObject, NumberObject, PdfObject, TextStringObject

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import pdf
from tests.media.odd_pdfs import looping, pdf_with_attachment, pdf_with_entry, pdf_with_stream, updated

SMALL = Limits(pdf_stream_bytes=1_000_000, pdf_unpacked_bytes=1_500_000)
PACKED = zlib.compress(bytes(2_000_000), 9)
LAUNCH: dict[str, PdfObject] = {"/S": NameObject("/Launch"), "/F": TextStringObject("calc.exe")}
SCRIPT: dict[str, PdfObject] = {"/S": NameObject("/JavaScript"), "/JS": TextStringObject("app.alert(1)")}
BOMBS = {
    "deflated": (PACKED, ("/FlateDecode",)),
    "deflated twice": (zlib.compress(PACKED, 9), ("/FlateDecode", "/FlateDecode")),
    "as letters": (a85encode(PACKED) + b"~>", ("/ASCII85Decode", "/FlateDecode")),
    "as hexadecimal": (PACKED.hex().encode() + b">", ("/ASCIIHexDecode", "/Fl")),
    "in runs": (b"\x81\0" * 20_000 + b"\x80", ("/RunLengthDecode",)),
    "before a picture's coding": (PACKED, ("/FlateDecode", "/DCTDecode")),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_a_stream_that_no_page_shows_is_unsafe(name: str, examine: Callable[..., Verdict]) -> None:
    data, filters = BOMBS[name]
    verdict = examine(pdf_with_stream(data, *filters), Kind.PDF, SMALL)
    assert (verdict.reason, verdict.check) == (Reason.UNSAFE_MEDIA, "pdf_streams")


def test_many_streams_that_are_harmless_alone_are_unsafe_together(examine: Callable[..., Verdict]) -> None:
    data = pdf_with_stream(zlib.compress(bytes(900_000)), "/FlateDecode")
    limits = Limits(pdf_stream_bytes=1_000_000, pdf_unpacked_bytes=800_000)
    assert examine(data, Kind.PDF, limits).check == "pdf_streams"


def test_more_filters_than_any_writer_uses_are_unsafe(examine: Callable[..., Verdict]) -> None:
    assert examine(pdf_with_stream(b"", *["/FlateDecode"] * 9), Kind.PDF).reason is Reason.UNSAFE_MEDIA


def test_a_picture_of_too_many_pixels_is_unsafe(examine: Callable[..., Verdict]) -> None:
    data = pdf_with_stream(b"", "/DCTDecode", Width=NumberObject(50_000), Height=NumberObject(50_000))
    verdict = examine(data, Kind.PDF)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "a picture of 50000 x 50000 pixels")


@pytest.mark.parametrize("coding", ["/DCTDecode", "/JPXDecode", "/CCITTFaxDecode", "/JBIG2Decode"])
def test_a_picture_inside_its_limits_is_left_to_its_readers(coding: str, accepted: Callable[..., Facts]) -> None:
    data = pdf_with_stream(b"coded", coding, Width=NumberObject(10), Height=NumberObject(10))
    assert accepted(data, Kind.PDF).pages == 1


WORDS = zlib.compress(bytes(range(256)) * 20)
BROKEN = {
    "cut": WORDS[:-10],
    "flipped": WORDS[:20] + bytes([WORDS[20] ^ 0xFF]) + WORDS[21:],
    "wrong check sum": WORDS[:-1] + bytes([WORDS[-1] ^ 1]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_stream_is_undecodable(name: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(pdf_with_stream(BROKEN[name], "/FlateDecode"), Kind.PDF)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "pdf_streams")


@pytest.mark.parametrize("more", [-1, 0, 1, 100, 258, 300])
def test_a_stream_of_any_length_is_whole(more: int, accepted: Callable[..., Facts]) -> None:
    packed = zlib.compress(bytes(2**20 + more), 9)
    assert accepted(pdf_with_stream(packed, "/FlateDecode"), Kind.PDF).pages == 1
    assert accepted(pdf_with_stream(packed[:-4], "/FlateDecode"), Kind.PDF).pages == 1


def test_a_stream_whose_check_sum_is_left_out_is_whole(accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf_with_stream(WORDS[:-4], "/FlateDecode"), Kind.PDF).pages == 1


@pytest.mark.parametrize("indirect", [False, True])
@pytest.mark.parametrize("action", [LAUNCH, SCRIPT], ids=["launch", "script"])
@pytest.mark.parametrize("place", ["annotation", "names", "field", "OpenAction", "AA"])
def test_an_action_is_active_content_wherever_it_hides(
    place: str, action: dict[str, PdfObject], indirect: bool, examine: Callable[..., Verdict]
) -> None:
    verdict = examine(pdf_with_entry(place, action, indirect=indirect), Kind.PDF)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "no_active_content")


def test_a_form_that_is_sent_by_a_press_is_noted(accepted: Callable[..., Facts]) -> None:
    press: dict[str, PdfObject] = {"/S": NameObject("/SubmitForm"), "/F": TextStringObject("https://example.com/")}
    assert accepted(pdf_with_entry("annotation", press), Kind.PDF).notes == ("sends_form",)


def test_an_attachment_is_noted(accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf_with_attachment(), Kind.PDF).notes == ("embedded_files",)


def test_an_incremental_update_counts_as_readers_see_it(
    accepted: Callable[..., Facts], examine: Callable[..., Verdict]
) -> None:
    assert accepted(updated(pdf(1), 50, b"null"), Kind.PDF).pages == 1
    hidden = updated(pdf(1), 50, b"<< /S /Launch /F (calc.exe) >>")
    assert examine(hidden, Kind.PDF).reason is Reason.ACTIVE_CONTENT


def test_cross_references_that_loop_end(examine: Callable[..., Verdict]) -> None:
    verdict = examine(looping(), Kind.PDF)
    assert verdict.accepted or verdict.reason in {Reason.UNDECODABLE, Reason.UNSAFE_MEDIA}


CONTENTS = b"/Contents 5 0 R\n/Rotate 0"
LOST = {
    "a dictionary without its stream": (b"stream\nx", b"strexm\nx"),
    "another object": (CONTENTS, b"/Contents 3 0 R"),
    "a number": (CONTENTS, b"/Contents 5"),
    "an object that is not there": (CONTENTS, b"/Contents 9 0 R"),
    "an object without its number": (b"\n5 0 obj", b"\nx 0 obj"),
    "one of two": (CONTENTS, b"/Contents [5 0 R 3 0 R]"),
    "a filter that is not closed": (b"/FlateDecode\n/Length 29", b"/\x1b[31mEvil"),
}


@pytest.mark.parametrize("name", LOST)
def test_a_page_whose_contents_are_lost_is_undecodable(name: str, examine: Callable[..., Verdict]) -> None:
    whole, damaged = LOST[name]
    assert whole in pdf(1)
    verdict = examine(pdf(1).replace(whole, damaged.ljust(len(whole))), Kind.PDF)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "pages")


@pytest.mark.parametrize("contents", [b"", b"/Contents null", b"/Contents [5 0 R null]", b"/Contents []"])
def test_a_page_may_be_empty(contents: bytes, accepted: Callable[..., Facts]) -> None:
    assert accepted(pdf(1).replace(CONTENTS, contents.ljust(len(CONTENTS))), Kind.PDF).pages == 1


def test_a_filter_that_is_not_known_is_told(examine: Callable[..., Verdict]) -> None:
    told = "a stream has a filter that is not known"
    for data in (pdf_with_stream(b"a", "/Evil"), pdf(1).replace(b"/FlateDecode", b"/EvilDecode!")):
        verdict = examine(data, Kind.PDF)
        assert (verdict.reason, verdict.detail) == (Reason.UNDECODABLE, told)


def test_an_object_that_is_only_a_reference_is_told(examine: Callable[..., Verdict]) -> None:
    verdict = examine(updated(pdf(1), 50, b"50 0 R"), Kind.PDF)
    told = "an object of the PDF only refers to itself or to another one"
    assert (verdict.reason, verdict.detail) == (Reason.UNDECODABLE, told)
