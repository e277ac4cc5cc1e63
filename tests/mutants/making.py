"""The mutants: each is made again from its seed and its number."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from shared.messages import Kind
from tests.media.damage import WAYS
from tests.media.documents import archive, nested, pdf
from tests.media.moving import sound, video
from tests.media.pictures import animation, picture

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
STILL = ("PNG", "JPEG", "WEBP", "GIF", "AVIF", "TIFF", "BMP", "JPEG2000", "ICO")
FRAGMENTS = (("movflags", "frag_keyframe+empty_moov"),)
JSON = b'{"id": 7, "words": ["one", "two", "three"], "inner": {"true": true, "number": -1.5e3}}\n'


@dataclass(frozen=True)
class Good:
    """A file that is accepted as it is."""

    name: str
    kind: Kind
    data: bytes


@dataclass(frozen=True)
class Mutant:
    """A damaged file: what it was, how it was damaged, and the kind that is promised for it, if any."""

    number: int
    source: str
    way: str
    promised: Kind | None
    data: bytes


@cache
def good_files() -> tuple[Good, ...]:
    """One or more of each format, and the good ones of the corpus of real files, where it lies beside the checkout."""
    moving = {"mp4": video(audio="aac"), "webm": video("webm", "libvpx", audio="libopus"), "avi": video("avi", "mpeg4")}
    moving |= {"matroska": video("matroska"), "fragments": video(muxing=FRAGMENTS), "vp9": video("webm", "libvpx-vp9")}
    audio = {"mp3": sound(), "wav": sound("wav", "pcm_s16le"), "flac": sound("flac", "flac")}
    audio |= {"ogg": sound("ogg", "libopus"), "adts": sound("adts", "aac")}
    still = {form: picture(form) for form in STILL}
    still |= {f"moving {form}": animation(form) for form in ("PNG", "WEBP", "GIF", "AVIF", "TIFF")}
    other = {Kind.PDF: {"pdf": pdf(5)}, Kind.TEXT: {"json": JSON}}
    other[Kind.ARCHIVE] = {"zip": archive({"a": b"x" * 1000, "b/c": b"yz" * 500}), "zip in zip": nested(2)}
    made = {Kind.VIDEO: moving, Kind.AUDIO: audio, Kind.IMAGE: still, **other}
    return (*(Good(name, kind, data) for kind, files in made.items() for name, data in files.items()), *_real_files())


def mutant(seed: int, number: int) -> Mutant:
    """The mutant of this number; every second one promises the kind that it had."""
    random, others = Random(f"{seed}/{number}"), [good.data for good in good_files()]
    while True:
        good, way = random.choice(good_files()), random.choice(WAYS)
        data = bytearray(good.data)
        way(data, others, random)
        # A swap of a part with itself is no damage.
        if data != good.data:
            promised = good.kind if number % 2 or good.kind is Kind.TEXT else None
            return Mutant(number, good.name, way.__name__, promised, bytes(data))


def _real_files() -> list[Good]:
    manifest = CORPUS / "MANIFEST.toml"
    entries = tomllib.loads(manifest.read_text())["file"] if manifest.exists() else []
    good = [entry for entry in entries if entry["verdict"] == "accept"]
    return [Good(entry["name"], Kind(entry["kind"]), (CORPUS / entry["name"]).read_bytes()) for entry in good]
