"""The manifest of a corpus is read strictly, and each verdict is compared with what it says."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from bench.corpus.judging import PEAK_BYTES, Found, differences
from bench.corpus.manifest import Entry, read_manifest
from bench.corpus.printing import as_json
from shared.errors import UsageError
from shared.reasons import Reason

BODY = b"bytes"
ACCEPTED = Found("complete", sha256="a" * 64, facts={"width": 640, "height": 480, "duration_seconds": 0.041})


def manifest(folder: Path, **changes: object) -> Path:
    told = {"name": "a", "kind": "image", "verdict": "accept", "size": 5, "sha256": hashlib.sha256(BODY).hexdigest()}
    lines = [f"{name} = {value!r}" for name, value in {**told, **changes}.items()]
    (folder / "a").write_bytes(BODY)
    (folder / "MANIFEST.toml").write_text("\n".join(["[[file]]", *lines]))
    return folder


def entry(verdict: str, **more: Any) -> Entry:
    return Entry.model_validate(
        {"name": "a", "kind": "image", "verdict": verdict, "size": 5, "sha256": "a" * 64, **more}
    )


def refused(reason: str, **more: Any) -> Found:
    return Found("needs_attention", reason, **more)


def test_a_manifest_whose_files_are_there_is_read(tmp_path: Path) -> None:
    (found,) = read_manifest(manifest(tmp_path, why="PNG 64x48, 2 frames", source="somewhere"))
    assert (found.name, found.kind, found.verdict) == ("a", "image", "accept")
    assert found.stated == {"width": 64, "height": 48}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"size": 6}, "a: has 5 bytes, not 6"),
        ({"sha256": "0" * 64}, "a: has the SHA-256 "),
        ({"name": "b"}, "b: is not there"),
        ({"name": "../a"}, "number 1: name:"),
        ({"kind": "song"}, "number 1: kind:"),
        ({"verdict": "perhaps"}, "number 1: verdict:"),
    ],
)
def test_an_entry_that_is_wrong_or_names_another_file_is_told(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_manifest(manifest(tmp_path, **changes))
    assert told in str(error.value)


@pytest.mark.parametrize("text", [None, "", "file = 3", "[[file"])
def test_a_folder_without_a_manifest_that_names_files_is_told(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "MANIFEST.toml").write_text(text)
    with pytest.raises(UsageError, match=r"MANIFEST\.toml"):
        read_manifest(tmp_path)


def test_a_file_that_is_named_twice_is_told(tmp_path: Path) -> None:
    text = (manifest(tmp_path) / "MANIFEST.toml").read_text()
    (tmp_path / "MANIFEST.toml").write_text(f"{text}\n{text}")
    with pytest.raises(UsageError, match="a: is named 2 times"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (entry("accept"), ACCEPTED),
        (entry("accept", why="640x480, duration 0.04 s"), ACCEPTED),
        (entry("accept", why="shown as 480x640"), ACCEPTED),
        (entry("accept", why="duration 1 s"), Found("complete", sha256="a" * 64, facts={"duration_seconds": 1.02})),
        (entry("accept", facts={"width": 640}), ACCEPTED),
        (entry("reject", why="4000x4000 pixels"), refused("unsafe_media")),
        (entry("reject", reason="encrypted"), refused("encrypted")),
        (entry("reject"), refused("error_body")),
        (entry("bounded"), refused("undecodable", seconds=9.9, peak_bytes=PEAK_BYTES)),
        (entry("bounded"), ACCEPTED),
    ],
)
def test_a_verdict_as_the_manifest_has_it_is_right(wanted: Entry, found: Found) -> None:
    assert differences(wanted, found) == []


@pytest.mark.parametrize(
    ("wanted", "found", "told"),
    [
        (entry("accept"), refused("not_media"), "reject in place of accept"),
        (entry("reject"), ACCEPTED, "accept in place of reject"),
        (entry("reject", reason="encrypted"), refused("not_media"), "not_media in place of encrypted"),
        (entry("accept", sha256="b" * 64), ACCEPTED, "another digest"),
        (entry("accept", facts={"pages": 4}), ACCEPTED, "pages is None, not 4"),
        (entry("accept", why="320x240"), ACCEPTED, "width is 640, not 320"),
        (entry("accept", why="duration 0.05 s"), ACCEPTED, "duration_seconds is 0.041"),
        (entry("bounded"), refused("undecodable", seconds=10.1, peak_bytes=1), "more than 10 s"),
        (entry("bounded"), refused("undecodable", seconds=1.0), "its memory is not told"),
        (entry("bounded"), refused("undecodable", peak_bytes=PEAK_BYTES + 1), "more than 512 MiB"),
        (entry("bounded"), Found(None), "no verdict, but no end"),
        (entry("reject"), Found("needs_attention", str(Reason.SOURCE_GONE)), "no verdict, but needs_attention"),
        (entry("reject"), Found("needs_attention", str(Reason.POISONED)), "no verdict, but needs_attention"),
    ],
)
def test_whatever_differs_is_told(wanted: Entry, found: Found, told: str) -> None:
    assert told in "; ".join(differences(wanted, found))


def test_the_figures_count_what_is_right_and_what_is_wrong() -> None:
    told = as_json([(entry("accept"), ACCEPTED), (entry("reject"), ACCEPTED)], lives=True)
    assert (told["right"], told["wrong"], told["verifier_lives"]) == (1, 1, True)
    assert told["files"][1]["differences"] == ["accept in place of reject"]
