"""Every kind and every odd variant in a real, confined child: what the checks need is there, and nothing else."""

from collections.abc import Callable

import pytest

from shared.messages import Kind
from shared.reasons import Reason
from tests.integration.verifier.conftest import RunningProbe
from tests.media.documents import archive, pdf, zip64
from tests.media.moving import video
from tests.media.odd_pdfs import pdf_with_attachment, pdf_with_stream, updated
from tests.media.pictures import heic, jxl
from tests.media.remuxed import encrypted, from_second_key, uneven, with_tracks

ACCEPTED: dict[str, tuple[Kind, Callable[[], bytes]]] = {
    "text": (Kind.TEXT, lambda: "Größe".encode()),
    "wide text": (Kind.TEXT, lambda: "Größe".encode("utf-16")),
    "json": (Kind.TEXT, lambda: b'{"a": [1, 2.5, "\\u00fc"]}'),
    "json lines": (Kind.TEXT, lambda: b'{"a": 1}\n{"a": 2}\n'),
    "other": (Kind.OTHER, lambda: b"\x7fELF" + bytes(100)),
    "attachment": (Kind.PDF, pdf_with_attachment),
    "update": (Kind.PDF, lambda: updated(pdf(1), 50, b"null")),
    "runs": (Kind.PDF, lambda: pdf_with_stream(b"\x81\0\x80", "/RunLengthDecode")),
    "letters": (Kind.PDF, lambda: pdf_with_stream(b"<~87cUR~>", "/ASCII85Decode")),
    "long form": (Kind.ARCHIVE, zip64),
    "office": (Kind.ARCHIVE, lambda: archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})),
    "tracks": (Kind.VIDEO, lambda: with_tracks(2, 1)),
    "uneven": (Kind.VIDEO, lambda: uneven(video())),
    "cut": (Kind.VIDEO, lambda: from_second_key(video(seconds=2, coding=(("g", "12"),)))),
    "transparent": (Kind.VIDEO, lambda: video("webm", "libvpx-vp9", seconds=0.5, pixels="yuva420p")),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_good_file_of_every_sort_is_accepted_by_the_program(name: str, probe: RunningProbe) -> None:
    kind, made = ACCEPTED[name]
    verdict = probe.examine(made(), kind)
    assert verdict.accepted, f"{verdict.check}: {verdict.detail}"
    assert verdict.facts is not None
    assert verdict.facts.kind is kind


def test_samples_that_are_encrypted_and_images_without_a_decoder_are_refused(probe: RunningProbe) -> None:
    assert probe.examine(encrypted(), Kind.VIDEO).reason is Reason.ENCRYPTED
    assert probe.examine(heic(), Kind.IMAGE).reason is Reason.NOT_MEDIA


def test_a_probe_that_is_told_so_accepts_images_without_a_decoder(start: Callable[..., RunningProbe]) -> None:
    probe = start(children=1, accept_undecoded=("heic",))
    verdict = probe.examine(heic(), Kind.IMAGE)
    assert verdict.facts is not None
    assert verdict.facts.notes == ("depth_not_checked",)
    assert probe.examine(jxl(), Kind.IMAGE).check == "decodable"
