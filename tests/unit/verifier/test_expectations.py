"""The producer's promise against the facts."""

from typing import Any

import pytest

from services.verifier.checks.expectations import expected_mismatch
from services.verifier.facts import Facts
from shared.messages import Expected, Kind


def facts(**changes: Any) -> Facts:
    """Facts of a clip, with changes."""
    clip: dict[str, Any] = {
        "kind": Kind.VIDEO,
        "content_type": "video/mp4",
        "extension": "mp4",
        "container": "mp4",
        "duration_seconds": 5.04,
        "width": 1280,
        "height": 720,
        "codecs": ("h264", "aac"),
    }
    return Facts.model_validate(clip | changes)


KEPT: list[dict[str, Any]] = [
    {},
    {"size": 1, "sha256": "0" * 64},
    {"duration_seconds": 5.0},
    {"duration_seconds": 5.5},
    {"width": 1280},
    {"width": 1280, "height": 720},
    {"width": 1279, "height": 721},
    {"codecs": ["h264"]},
    {"codecs": ["AVC1.64001f", "mp4a.40.2"]},
    {"codecs": []},
]
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"duration_seconds": 10.0}, "promised 10.00 s, found 5.04 s"),
    ({"duration_seconds": 4.5}, "promised 4.50 s, found 5.04 s"),
    ({"width": 1920, "height": 1080}, "promised 1920 x 1080 pixels, found 1280 x 720"),
    ({"width": 720, "height": 1280}, "promised 720 x 1280 pixels, found 1280 x 720"),
    ({"height": 722}, "promised any x 722 pixels, found 1280 x 720"),
    ({"codecs": ["hevc"]}, "a promised codec is missing, found h264, aac"),
    ({"pages": 1}, "promised 1 pages, found none"),
]


@pytest.mark.parametrize("promise", KEPT)
def test_a_kept_promise_is_no_mismatch(promise: dict[str, Any]) -> None:
    assert expected_mismatch(facts(), Expected.model_validate(promise)) is None


@pytest.mark.parametrize(("promise", "words"), BROKEN)
def test_a_broken_promise_is_told_in_words(promise: dict[str, Any], words: str) -> None:
    assert expected_mismatch(facts(), Expected.model_validate(promise)) == words


def test_a_long_video_may_miss_its_duration_by_a_share() -> None:
    long = facts(duration_seconds=600.0)
    assert expected_mismatch(long, Expected.model_validate({"duration_seconds": 610.0})) is None
    assert expected_mismatch(long, Expected.model_validate({"duration_seconds": 620.0})) is not None


def test_a_missing_duration_breaks_the_promise_of_one() -> None:
    still = facts(duration_seconds=None)
    assert expected_mismatch(still, Expected.model_validate({"duration_seconds": 1.0})) is not None


def test_a_rotated_video_keeps_the_promise_of_either_orientation() -> None:
    turned = facts(rotation=90)
    for width, height in ((1280, 720), (720, 1280)):
        assert expected_mismatch(turned, Expected.model_validate({"width": width, "height": height})) is None


def test_an_image_must_have_exactly_the_promised_pixels() -> None:
    image = facts(kind=Kind.IMAGE, width=100, height=100)
    assert expected_mismatch(image, Expected.model_validate({"width": 101})) is not None


def test_pages_must_be_as_promised() -> None:
    document = facts(kind=Kind.PDF, pages=4)
    assert expected_mismatch(document, Expected.model_validate({"pages": 4})) is None
    assert expected_mismatch(document, Expected.model_validate({"pages": 5})) is not None


STRICT_KEPT: list[dict[str, Any]] = [
    {},
    {"duration_seconds": 5.0},
    {"duration_seconds": 5.08},
    {"width": 1280, "height": 720},
    {"codecs": ["avc1.64001f", "aac"]},
]
STRICT_BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"duration_seconds": 5.1}, "promised 5.10 s, found 5.04 s"),
    ({"duration_seconds": 4.99}, "promised 4.99 s, found 5.04 s"),
    ({"width": 1281}, "promised 1281 x any pixels, found 1280 x 720"),
    ({"codecs": ["h264"]}, "a codec was not promised, found h264, aac"),
    ({"codecs": []}, "a codec was not promised, found h264, aac"),
    ({"codecs": ["hevc"]}, "a promised codec is missing, found h264, aac"),
]


@pytest.mark.parametrize("promise", STRICT_KEPT)
def test_a_strict_promise_is_kept_to_one_frame(promise: dict[str, Any]) -> None:
    exact = facts(step_seconds=0.042)
    assert expected_mismatch(exact, Expected.model_validate(promise | {"strict": True})) is None


@pytest.mark.parametrize(("promise", "words"), STRICT_BROKEN)
def test_a_strict_promise_has_no_tolerance_beyond_that(promise: dict[str, Any], words: str) -> None:
    exact = facts(step_seconds=0.042)
    assert expected_mismatch(exact, Expected.model_validate(promise | {"strict": True})) == words
    assert promise.get("codecs") == ["hevc"] or expected_mismatch(exact, Expected.model_validate(promise)) is None


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("video/webm", "the source declared video/webm, found video/mp4"),
        ("text/html", "the source declared text/html, found video/mp4"),
        ("video/mp4", None),
        ("video/x-m4v", None),
        ("application/octet-stream", None),
        (None, None),
    ],
)
def test_fr34_strictly_the_declared_type_must_agree(declared: str | None, words: str | None) -> None:
    declaring = facts(declared_type=declared)
    assert expected_mismatch(declaring, Expected(strict=True)) == words
    assert expected_mismatch(declaring, Expected()) is None


def test_a_duration_that_only_packets_tell_may_miss_one_more_packet() -> None:
    promise = Expected(duration_seconds=4.45)
    assert expected_mismatch(facts(duration_source="container", step_seconds=0.1), promise) is not None
    assert expected_mismatch(facts(duration_source="packets", step_seconds=0.1), promise) is None


def test_a_gif_may_miss_its_duration_by_a_fifth_as_it_counts_hundredths() -> None:
    promise = Expected(duration_seconds=10)
    assert expected_mismatch(facts(kind=Kind.IMAGE, container="gif", duration_seconds=12.0), promise) is None
    assert expected_mismatch(facts(kind=Kind.IMAGE, container="webp", duration_seconds=12.0), promise) is not None
