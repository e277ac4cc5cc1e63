"""The memory of a transfer does not depend on the size of its body."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.answers import chunks, head
from tests.faults.server import FaultServer, Line, Script

MIB = 2**20
ROOT = Path(__file__).parents[3]


def body_of(mib: int, framing: str) -> Script:
    block = bytes(range(256)) * 4096

    def lead(line: Line) -> None:
        if framing == "chunked":
            line.send(head(200, "Transfer-Encoding: chunked"), *[chunks([block])] * mib, b"0\r\n\r\n")
        else:
            line.send(head(200, f"Content-Length: {mib * MIB}"), *[block] * mib)

    return lead


def peak_kib(mib: int, framing: str) -> int:
    with FaultServer(body_of(mib, framing)) as server:
        command = [sys.executable, "-m", "tests.integration.downloader.measured", server.url()]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    size, peak = map(int, done.stdout.split())
    assert size == mib * MIB
    return peak


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_fr61_and_fr74_memory_is_flat_from_10_to_400_mib(framing: str) -> None:
    small, middle, large = (peak_kib(mib, framing) for mib in (10, 100, 400))
    assert max(small, middle, large) <= 1.1 * min(small, middle, large)
    assert large <= 120 * 1024
