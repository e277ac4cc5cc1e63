"""Containers that state their own end, as they stream by."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

import pytest

from services.downloader.endings import Ending
from tests.media.documents import archive, pdf
from tests.media.moving import sound, video
from tests.media.pictures import animation, picture

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
STATED = {".mp4", ".3gp", ".avif", ".jpg", ".png", ".webp", ".gif", ".pdf"}


def is_whole(data: bytes, block: int = 2**16) -> bool:
    ending = Ending()
    for start in range(0, len(data), block):
        ending.see(data[start : start + block])
    return ending.is_whole


@cache
def media() -> Mapping[str, bytes]:
    return {
        "mp4": video(),
        "mp4 with its index in front": video(muxing=(("movflags", "faststart"),)),
        "mp4 in fragments": video(muxing=(("movflags", "frag_keyframe+empty_moov"),)),
        "mov": video("mov"),
        "avi": video("avi", "mpeg4"),
        "wav": sound("wav", "pcm_s16le"),
        "png": picture("PNG"),
        "jpeg": picture("JPEG"),
        "gif": animation("GIF"),
        "webp": picture("WEBP"),
        "avif": picture("AVIF"),
        "pdf": pdf(),
        "zip": archive({"a.txt": b"a" * 1000, "b.png": picture("PNG")}),
    }


NAMES = [
    *("mp4", "mp4 with its index in front", "mp4 in fragments", "mov", "avi", "wav"),
    *("png", "jpeg", "gif", "webp", "avif", "pdf", "zip"),
]


@pytest.mark.parametrize("block", [1, 7, 1023, 2**20])
@pytest.mark.parametrize("name", NAMES)
def test_a_whole_file_is_whole_however_its_blocks_fall(name: str, block: int) -> None:
    assert is_whole(media()[name], block)


@pytest.mark.parametrize("name", NAMES)
def test_case_46_no_beginning_of_a_file_is_whole(name: str) -> None:
    data = media()[name]
    # The line end behind the last mark of a PDF carries nothing.
    most = len(data.rstrip(b"\r\n")) if name == "pdf" else len(data)
    near, random = range(max(most - 300, 0), most), Random(7)
    for kept in {*range(100), *near, *(random.randrange(most) for _ in range(500))}:
        assert not is_whole(data[:kept]), kept


def test_case_46_a_file_cut_between_two_boxes_is_not_whole() -> None:
    for name in ("mp4", "mp4 with its index in front", "mp4 in fragments", "mov", "avif"):
        data, at = media()[name], 0
        while (at := at + int.from_bytes(data[at : at + 4])) < len(data):
            assert not is_whole(data[:at]), (name, at)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_bytes_behind_it_does_not_end_where_it_says(name: str) -> None:
    for more in (b"and more", b"abc", b"\x00\x00"):
        assert not is_whole(media()[name] + more)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        b"no container at all",
        b"\x1aE\xdf\xa3 Matroska",
        b"\x00\x00\x00\x08moov\x00\x00\x00\x08mdat",
        b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x00\x00mdatabc",
        b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x00\x07mdat",
        b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x00\x01mdat" + (15).to_bytes(8),
        b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x00\x01mdat"
        + (12).to_bytes(8)
        + b"free"
        + bytes(4),
        b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08mdat",
        b"PK\x03\x04" + b"PK\x05\x06" + bytes(17),
        b"PK\x03\x04"
        + bytes(96)
        + bytes(16)
        + (100).to_bytes(4, "little")
        + (1002).to_bytes(2, "little")
        + bytes(1002),
        b"RIFF\xff\xff\xff\xffWEBP",
    ],
)
def test_what_states_no_end_is_not_whole(data: bytes) -> None:
    assert not is_whole(data)


def test_a_box_of_64_bits_is_followed() -> None:
    front = b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov"
    large = b"\x00\x00\x00\x01mdat" + (16 + 100).to_bytes(8) + bytes(100)
    for block in (1, 5, 1000):
        assert is_whole(front + large, block)
        assert not is_whole(front + large[:-1], block)


def test_a_zip_file_with_a_comment_is_whole_and_one_that_lost_its_front_is_not() -> None:
    data = media()["zip"]
    assert is_whole(data[:-2] + b"\x05\x00words")
    assert not is_whole(b"PK\x03\x04" + data[100:])


def test_a_riff_file_of_odd_size_may_end_with_or_without_its_padding() -> None:
    odd = b"RIFF\x0d\x00\x00\x00WEBPVP8 \x01\x00\x00\x00\x00"
    assert is_whole(odd)
    assert is_whole(odd + b"\x00")
    assert not is_whole(odd + b"\x00\x00")
    assert not is_whole(odd[:-1])
    assert not is_whole(media()["webp"] + b"\x00")


def test_millions_of_tiny_boxes_cost_no_time() -> None:
    ending = Ending()
    ending.see(b"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x00\x08mdat")
    for _ in range(400):
        ending.see(b"\x00\x00\x00\x08free" * 2**13)
    assert not ending.is_whole


def corpus() -> list[str]:
    if not CORPUS.is_dir():
        return []
    files = tomllib.loads((CORPUS / "MANIFEST.toml").read_text())["file"]
    return [file["name"] for file in files if file["verdict"] == "accept" and Path(file["name"]).suffix in STATED]


@pytest.mark.corpus
@pytest.mark.skipif(not corpus(), reason="the corpus of real files (../shared/corpus) is not beside this checkout")
@pytest.mark.parametrize("name", corpus())
def test_a_real_file_is_whole_and_half_of_it_is_not(name: str) -> None:
    data = (CORPUS / name).read_bytes()
    assert is_whole(data)
    assert not is_whole(data[: len(data) // 2])
    assert not is_whole(data[:-5])
