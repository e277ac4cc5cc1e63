"""The type that a source declared beside the one of the bytes: noted where it differs, never believed."""

import pytest

from services.verifier.checks.declared import NOTE, SAME, with_declared
from services.verifier.facts import Facts
from services.verifier.policy import FORMATS


def facts(content_type: str = "image/webp") -> Facts:
    return Facts.model_validate(
        {"kind": "image", "content_type": content_type, "extension": "x", "container": "x", "notes": ("bad_exif",)}
    )


@pytest.mark.parametrize("declared", ["image/png", "text/html", "video/mp4", "application/json"])
def test_fr34_fault107_another_type_is_noted_and_kept(declared: str) -> None:
    found = with_declared(facts(), declared)
    assert (found.declared_type, found.notes) == (declared, ("bad_exif", NOTE))
    assert found.content_type == "image/webp"


@pytest.mark.parametrize("declared", ["image/webp", "application/octet-stream", "binary/octet-stream", None])
def test_fr33_the_same_type_or_one_that_says_nothing_is_not_noted(declared: str | None) -> None:
    found = with_declared(facts(), declared)
    assert (found.declared_type, found.notes) == (declared, ("bad_exif",))


@pytest.mark.parametrize(
    ("declared", "content_type"),
    [
        ("image/jpg", "image/jpeg"),
        ("audio/mp3", "audio/mpeg"),
        ("audio/x-wav", "audio/wav"),
        ("text/vtt", "text/plain"),
    ],
)
def test_fr33_another_name_of_a_type_is_that_type(declared: str, content_type: str) -> None:
    assert NOTE not in with_declared(facts(content_type), declared).notes


def test_every_other_name_is_of_a_type_that_can_be_found() -> None:
    assert set(SAME.values()) <= {names[0] for known in FORMATS.values() for names in known.types.values()}


def test_bytes_of_any_sort_differ_from_nothing() -> None:
    assert NOTE not in with_declared(facts("application/octet-stream"), "image/png").notes
