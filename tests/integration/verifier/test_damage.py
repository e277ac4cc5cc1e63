"""Many damaged files in a row: each gets a verdict, none ends the probe."""

import os
from concurrent.futures import ThreadPoolExecutor
from random import Random

from shared.reasons import Reason
from tests.integration.verifier.conftest import RunningProbe
from tests.media.damage import damaged
from tests.media.documents import archive, nested, pdf, pdf_with_script
from tests.media.moving import sound, video
from tests.media.pictures import animation, picture

FILES = int(os.environ.get("DAMAGED_FILES", "400"))
SEED = int(os.environ.get("DAMAGE_SEED", "1"))


def good_files() -> list[bytes]:
    """One or two of each kind."""
    moving = [video(audio="aac"), video("webm", "libvpx", audio="libopus"), video("avi", "mpeg4")]
    moving += [video("matroska"), video(muxing=(("movflags", "frag_keyframe+empty_moov"),))]
    audio = [sound(), sound("wav", "pcm_s16le"), sound("flac", "flac"), sound("ogg", "libopus"), sound("adts", "aac")]
    still = [picture(form) for form in ("PNG", "JPEG", "WEBP", "GIF", "AVIF", "TIFF", "BMP", "JPEG2000", "ICO")]
    other = [animation(form) for form in ("PNG", "WEBP", "GIF", "AVIF", "TIFF")]
    return [*moving, *audio, *still, *other, pdf(5), pdf_with_script(), archive({"a": b"x" * 1000}), nested(2)]


def test_damaged_files_each_get_a_verdict_and_none_ends_the_probe(probe: RunningProbe) -> None:
    random, good, pid = Random(SEED), good_files(), probe.process.pid
    made = [damaged(good, random) for _ in range(FILES)]
    with ThreadPoolExecutor(4) as callers:
        verdicts = list(callers.map(lambda n: probe.examine(made[n], None, f"damaged-{n}"), range(FILES)))
    crashed = [n for n, verdict in enumerate(verdicts) if verdict.reason is not None and verdict.check is None]
    assert crashed == [], f"seed {SEED}: {[verdicts[n].detail for n in crashed]}"
    assert sum(verdict.reason is Reason.UNDECODABLE for verdict in verdicts) > FILES // 3
    assert probe.process.pid == pid
    assert all(probe.examine(data).accepted for data in good[:5])
