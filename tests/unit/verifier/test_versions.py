"""The oldest libraries allowed."""

import pytest

from services.verifier.policy import OLDEST
from services.verifier.probe.versions import libraries, new_enough, refuse_old, verifier_version
from shared.errors import UsageError


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("8.1.2", True),
        ("8.1.1", False),
        ("8.0.3", True),
        ("8.0.2", False),
        ("n8.2", True),
        ("9.0", True),
        ("7.1.9", False),
        ("git-2026-01-01", False),
    ],
)
def test_ffmpeg_is_new_enough_within_its_own_series(text: str, enough: bool) -> None:
    assert new_enough(text, OLDEST["FFmpeg"]) is enough


@pytest.mark.parametrize("name", OLDEST)
def test_fault104_an_old_library_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} 1.0 has known holes"):
        refuse_old(libraries() | {name: "1.0"})


def test_the_installed_libraries_are_allowed_and_named() -> None:
    refuse_old(libraries())
    assert all(f"{name} {text}" in verifier_version() for name, text in libraries().items())
