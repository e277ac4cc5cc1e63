"""Which files of a person's folder are sent."""

import os
from pathlib import Path

import pytest

from deploy.local.demo.files import LeftOut, Listing, listing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "media"
    for name in ("a.mp4", "sub/b.png", ".hidden", ".git/config", "sub/.DS_Store"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"x")
    return place


def test_files_of_all_subfolders_are_sent_and_hidden_ones_are_counted(folder: Path) -> None:
    assert listing(folder) == Listing([Path("a.mp4"), Path("sub/b.png")], {LeftOut.HIDDEN: 3})


def test_no_link_is_followed_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"x")
    (folder / "to-file").symlink_to(tmp_path / "outside" / "secret")
    (folder / "to-folder").symlink_to(tmp_path / "outside")
    (folder / "through").symlink_to(folder / "to-folder" / "secret")
    (folder / "inside").symlink_to("sub/b.png")
    found = listing(folder)
    assert Path("inside") in found.names
    assert len(found.names) == 3
    assert found.left_out[LeftOut.LEADS_OUT] == 3


def test_a_folder_that_is_itself_reached_through_a_link_is_sent(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert listing(tmp_path / "link") == listing(folder)


def test_what_is_no_regular_file_is_left_out_and_said(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    found = listing(folder)
    assert found.left_out[LeftOut.NOT_REGULAR] == 3
    assert found.spoken() == "Files to send: 2. Left out: 3 hidden, 3 no regular file."


def test_a_folder_of_which_everything_is_sent_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"x")
    assert listing(tmp_path).spoken() == "Files to send: 1. Left out: none."
