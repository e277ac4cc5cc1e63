"""Each verdict tells the most memory that its examination held."""

import os
from collections.abc import Callable
from io import BytesIO

from PIL import Image

from shared.messages import Kind
from tests.integration.verifier.conftest import RunningProbe

MIB = 2**20


def picture(side: int) -> bytes:
    data = BytesIO()
    Image.new("RGB", (side, side)).save(data, "PNG")
    return data.getvalue()


def test_a_verdict_tells_the_peak_of_its_own_file(start: Callable[..., RunningProbe]) -> None:
    probe = start(children=1)

    def peak(side: int) -> int:
        verdict = probe.examine(picture(side), Kind.IMAGE)
        assert verdict.accepted
        assert verdict.peak_bytes is not None
        return verdict.peak_bytes

    before, large, after = peak(16), peak(6000), peak(16)
    assert large > before + 100 * MIB, "6000 x 6000 pixels of three bytes are decoded"
    # Only root may set the kernel's count back; without it the child's peak goes on.
    assert after < large - 50 * MIB if os.geteuid() == 0 else after >= large


def test_a_refusal_and_a_child_that_was_killed_tell_it_too(start: Callable[..., RunningProbe]) -> None:
    probe = start(children=1, seconds=0.1)
    refused = probe.examine(b"nothing known", Kind.IMAGE)
    assert refused.peak_bytes
    killed = probe.examine(picture(9000), Kind.IMAGE)
    assert killed.reason == "probe_timeout"
    assert killed.peak_bytes
    assert killed.peak_bytes > refused.peak_bytes
