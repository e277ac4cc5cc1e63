"""Images: formats, full decode of every frame, damage and bombs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.pictures import SIZE, animation, blinking_gif, chunk, picture, png, with_photoshop_segment

STILL = {
    "png": (partial(picture, "PNG"), "image/png", "png"),
    "jpeg": (partial(picture, "JPEG"), "image/jpeg", "jpg"),
    "progressive jpeg": (partial(picture, "JPEG", progressive=True), "image/jpeg", "jpg"),
    "cmyk jpeg": (partial(picture, "JPEG", mode="CMYK"), "image/jpeg", "jpg"),
    "webp": (partial(picture, "WEBP"), "image/webp", "webp"),
    "lossless webp": (partial(picture, "WEBP", lossless=True), "image/webp", "webp"),
    "gif": (partial(picture, "GIF"), "image/gif", "gif"),
    "avif": (partial(picture, "AVIF"), "image/avif", "avif"),
    "tiff": (partial(picture, "TIFF"), "image/tiff", "tif"),
    "packed tiff": (partial(picture, "TIFF", compression="tiff_lzw"), "image/tiff", "tif"),
    "bmp": (partial(picture, "BMP"), "image/bmp", "bmp"),
    "jp2": (partial(picture, "JPEG2000"), "image/jp2", "jp2"),
}
MOVING = ("GIF", "WEBP", "PNG", "AVIF")


@pytest.mark.parametrize("name", STILL)
def test_a_good_picture_is_accepted_with_its_facts(name: str, accepted: Callable[..., Facts]) -> None:
    make, content_type, extension = STILL[name]
    facts = accepted(make(), Kind.IMAGE)
    assert (facts.content_type, facts.extension) == (content_type, extension)
    assert ((facts.width, facts.height), facts.frames, facts.duration_seconds) == (SIZE, 1, None)
    assert facts.notes == ()


@pytest.mark.parametrize("form", MOVING)
def test_an_animation_is_decoded_frame_by_frame(form: str, accepted: Callable[..., Facts]) -> None:
    facts = accepted(animation(form), Kind.IMAGE)
    assert (facts.frames, facts.frames_decoded, facts.duration_source) == (5, 5, "frames")
    assert facts.duration_seconds == pytest.approx(0.5)


@pytest.mark.parametrize("number", [0xE1, 0xED, 0xEE, 0xFE])
def test_fr34_a_jpeg_is_one_by_whatever_segment_it_begins(number: int, accepted: Callable[..., Facts]) -> None:
    data = with_photoshop_segment(picture("JPEG", progressive=True)).replace(b"\xff\xed", bytes([0xFF, number]), 1)
    assert data[:4] == bytes([0xFF, 0xD8, 0xFF, number])
    assert accepted(data, Kind.IMAGE).content_type == "image/jpeg"


@pytest.mark.parametrize("name", STILL)
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0], ids=["half", "nine tenths", "last byte"])
def test_fr39_a_cut_picture_is_undecodable(name: str, share: float, examine: Callable[..., Verdict]) -> None:
    data = STILL[name][0]()
    assert examine(data[: int(len(data) * share) - 1], Kind.IMAGE).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("form", MOVING)
def test_an_animation_that_is_cut_after_its_first_frames_is_undecodable(
    form: str, examine: Callable[..., Verdict]
) -> None:
    data = animation(form)
    assert examine(data[: len(data) * 4 // 5], Kind.IMAGE).reason is Reason.UNDECODABLE


def test_fr39_a_png_without_its_end_chunk_is_truncated(examine: Callable[..., Verdict]) -> None:
    assert examine(picture()[:-12]).detail == "truncated: the PNG has no IEND"


@pytest.mark.parametrize("kind", [b"IDAT", b"IEND"])
def test_fr39_a_png_with_a_wrong_check_sum_is_undecodable(kind: bytes, examine: Callable[..., Verdict]) -> None:
    data = bytearray(picture())
    at = data.index(kind) - 4
    end = at + 12 + int.from_bytes(data[at : at + 4])
    data[end - 1] ^= 1
    verdict = examine(bytes(data))
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "whole_image")


def test_an_icon_is_accepted_and_a_cut_one_is_not(
    accepted: Callable[..., Facts], examine: Callable[..., Verdict]
) -> None:
    icon = picture("ICO", size=(64, 64))
    assert accepted(icon, Kind.IMAGE).content_type == "image/x-icon"
    assert examine(icon[:-1]).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("name", ["png", "jpeg", "webp", "gif", "avif"])
def test_fr39_bytes_after_the_end_are_noted(name: str, accepted: Callable[..., Facts]) -> None:
    facts = accepted(STILL[name][0]() + b"PK\3\4 <script>alert(1)</script>")
    assert facts.notes == ("trailing_bytes",)
    assert facts.content_type == STILL[name][1]


def test_fr39_fault102_sixty_thousand_pixels_a_side_are_refused_unseen(examine: Callable[..., Verdict]) -> None:
    assert examine(png(60_000, 60_000, bytes(60_001)), Kind.IMAGE).reason is Reason.UNSAFE_MEDIA


def test_a_picture_just_over_the_limit_of_pixels_is_unsafe(
    accepted: Callable[..., Facts], examine: Callable[..., Verdict]
) -> None:
    rows = bytes(101) * 100
    accepted(png(100, 100, rows), None, replace(Limits(), pixels=10_000))
    assert examine(png(100, 100, rows), None, replace(Limits(), pixels=9_998)).reason is Reason.UNSAFE_MEDIA


def test_fr39_fault102_twenty_thousand_frames_are_unsafe(examine: Callable[..., Verdict]) -> None:
    verdict = examine(blinking_gif(20_000), Kind.IMAGE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "20000 frames of 1 x 1 pixels")


def test_many_frames_of_many_pixels_are_unsafe(examine: Callable[..., Verdict]) -> None:
    limits = replace(Limits(), animation_pixels=4 * SIZE[0] * SIZE[1])
    assert examine(animation("GIF"), None, limits).reason is Reason.UNSAFE_MEDIA


def test_too_many_bytes_are_unsafe(examine: Callable[..., Verdict]) -> None:
    assert examine(picture(), None, replace(Limits(), image_bytes=100)).reason is Reason.UNSAFE_MEDIA


def test_a_gif_without_a_picture_is_undecodable(examine: Callable[..., Verdict]) -> None:
    assert examine(blinking_gif(0), Kind.IMAGE).reason is Reason.UNDECODABLE


def test_a_png_whose_pixels_do_not_unpack_is_undecodable(examine: Callable[..., Verdict]) -> None:
    good = png(100, 100, bytes(101) * 100)
    at = good.index(b"IDAT") - 4
    end = at + 12 + int.from_bytes(good[at : at + 4])
    data = good[:at] + chunk(b"IDAT", b"no zlib stream") + good[end:]
    assert examine(data).reason is Reason.UNDECODABLE


def test_a_promised_video_that_is_an_avif_is_the_wrong_kind(examine: Callable[..., Verdict]) -> None:
    assert examine(picture("AVIF"), Kind.VIDEO).reason is Reason.WRONG_KIND


def test_fr34_a_jpeg_that_begins_with_its_tables_is_a_jpeg(accepted: Callable[..., Facts]) -> None:
    whole = picture("JPEG")
    bare = whole[:2] + whole[4 + int.from_bytes(whole[4:6]) :]
    assert bare[:4] == b"\xff\xd8\xff\xdb"
    assert accepted(bare, Kind.IMAGE).content_type == "image/jpeg"


def test_an_orientation_is_told_and_a_bad_exif_block_is_only_noted(accepted: Callable[..., Facts]) -> None:
    turned = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    assert accepted(picture("JPEG", exif=turned)).rotation == 90
    facts = accepted(picture("WEBP", exif=b"Exif\0\0no TIFF at all"))
    assert (facts.rotation, facts.notes) == (0, ("bad_exif",))
