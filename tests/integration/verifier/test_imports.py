"""Who loads the decoders: the probe before it forks, the children never later, the verifier not at all."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
CLIENT = """
import json, sys
import services.verifier.checks.expectations, services.verifier.examine, services.verifier.facts
import services.verifier.policy, services.verifier.supervise
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules} & {"av", "PIL", "pypdf", "filetype"})))
"""
LATE = """
import io, json, sys, warnings
import av.logging
from tests.media import documents, moving, pictures
made = [moving.video(audio="aac"), moving.video("webm", "libvpx", audio="libopus"), moving.sound(), b"plain text"]
made += [moving.sound("wav", "pcm_s16le"), moving.sound("flac", "flac"), moving.sound("ogg", "libopus")]
made += [pictures.picture(form) for form in "PNG JPEG WEBP GIF AVIF TIFF BMP JPEG2000 ICO".split()]
made += [pictures.animation(form) for form in "PNG WEBP GIF AVIF TIFF".split()]
made += [documents.pdf(), documents.pdf(owner_password="x"), documents.pdf(password="x"), documents.pdf_with_script()]
made += [documents.archive({"a": b"x"}, method) for method in (0, 8, 12, 14)]
made += ["<html>".encode("utf-16"), documents.archive({"\\u00e4": b"x"})]
made += [data[: len(data) // 2] for data in made]
stored = [data.hex() for data in made]
print(json.dumps(stored))
"""
EXAMINE = """
import io, json, sys, warnings
import services.verifier.probe.__main__ as program
from services.verifier.checks.image import set_up
from services.verifier.checks.order import prove
from services.verifier.policy import Limits
made = [bytes.fromhex(data) for data in json.load(sys.stdin)]
warnings.simplefilter("ignore")
program.preload()
set_up(Limits().pixels)
before = set(sys.modules)
accepted = sum(prove(io.BytesIO(data), None, Limits()).accepted for data in made)
print(json.dumps({"late": sorted(set(sys.modules) - before), "accepted": accepted}))
"""


def run(program: str, given: str = "") -> str:
    """What a program in a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.splitlines()[-1]


def test_the_verifier_never_loads_a_decoder() -> None:
    assert json.loads(run(CLIENT)) == []


def test_an_examination_imports_nothing_that_was_not_loaded_before_the_fork() -> None:
    found = json.loads(run(EXAMINE, run(LATE)))
    assert found["late"] == []
    assert found["accepted"] >= 25
