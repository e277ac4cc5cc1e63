"""What stands in place of media, and how the first bytes tell the format."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import pdf
from tests.media.moving import sound, video
from tests.media.pictures import picture

HTML = "<!doctype html><html><body>Sign in</body></html>"
S3_ERROR = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>'
SVG = '<?xml version="1.0"?><!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
ENTITIES = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbb"><!ENTITY c "&b;&b;&b;">]><svg>&c;</svg>'


@pytest.mark.parametrize("kind", [Kind.VIDEO, Kind.IMAGE, Kind.PDF, None])
@pytest.mark.parametrize(
    ("body", "what"),
    [
        (HTML.encode(), "an HTML page"),
        (b"\xef\xbb\xbf" + HTML.encode(), "an HTML page"),
        (b" \r\n\t " + HTML.upper().encode(), "an HTML page"),
        (HTML.encode("utf-16"), "an HTML page"),
        (b'{"error": {"message": "expired"}}', "JSON that says an error"),
        (b"\xef\xbb\xbf [1, 2]", "JSON text"),
        (S3_ERROR.encode(), "XML that says an error"),
        (b"<a>1</a>", "XML text"),
        (SVG.encode(), "an SVG drawing"),
        (ENTITIES.encode(), "an SVG drawing"),
        (b"upstream request timeout", "plain text"),
        (b"", "empty"),
    ],
)
def test_fr31_fr32_fault101_fault107_a_page_in_place_of_media_is_no_media(
    body: bytes, what: str, kind: Kind | None, examine: Callable[..., Verdict]
) -> None:
    verdict = examine(body, kind)
    assert (verdict.reason, verdict.detail) == (Reason.NOT_MEDIA, f"the file is {what}")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"Rar!\x1a\x07\x00", "is a RAR archive; only ZIP archives are accepted"),
        (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; only ZIP archives are accepted"),
        (b"\x1f\x8b\x08", "is packed with gzip, as a .tar.gz is; only ZIP archives are accepted"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "is an old office file (OLE), which may hold macros and so is not accepted",
        ),
        (b"\x7fELF", "is a program (ELF), which is not accepted"),
        (b"MZ\x90", "is a program (PE), which is not accepted"),
        (bytes(257) + b"ustar", "looks like application/x-tar, which is not accepted"),
        (b"\x01", "has no known signature, which is not accepted"),
    ],
)
def test_a_format_that_is_not_listed_is_not_accepted(body: bytes, words: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(body + bytes(64))
    assert (verdict.reason, verdict.check) == (Reason.NOT_MEDIA, "signature")
    assert verdict.detail == f"the file {words}"


def test_a_heic_picture_is_not_taken_for_a_video(examine: Callable[..., Verdict]) -> None:
    data = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + video()[32:]
    assert examine(data, Kind.VIDEO).reason is Reason.WRONG_KIND


def test_a_page_that_hides_a_pdf_is_a_page(examine: Callable[..., Verdict]) -> None:
    assert examine(HTML.encode() + pdf(), Kind.PDF).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("tail", [HTML.encode(), b"PK\x03\x04" + bytes(50), b"%PDF-1.7\n%%EOF"])
def test_fault107_a_polyglot_is_what_its_first_bytes_say(tail: bytes, examine: Callable[..., Verdict]) -> None:
    facts = examine(picture() + tail).facts
    assert facts is not None
    assert (facts.content_type, facts.notes) == ("image/png", ("trailing_bytes",))


def test_any_good_file_is_accepted_where_no_kind_was_promised(examine: Callable[..., Verdict]) -> None:
    for data, kind in ((picture(), Kind.IMAGE), (video(), Kind.VIDEO), (sound(), Kind.AUDIO), (pdf(), Kind.PDF)):
        facts = examine(data, None).facts
        assert facts is not None
        assert facts.kind is kind


@pytest.mark.parametrize("found", [Kind.IMAGE, Kind.VIDEO, Kind.AUDIO, Kind.PDF])
def test_a_good_file_of_another_kind_is_the_wrong_kind(found: Kind, examine: Callable[..., Verdict]) -> None:
    made: dict[Kind, Callable[[], bytes]] = {Kind.IMAGE: picture, Kind.VIDEO: video, Kind.AUDIO: sound, Kind.PDF: pdf}
    for promised in set(Kind) - {found, Kind.TEXT, Kind.OTHER}:
        verdict = examine(made[found](), promised)
        assert (verdict.reason, verdict.detail) == (Reason.WRONG_KIND, f"promised {promised}, found {found}")
