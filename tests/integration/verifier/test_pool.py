"""What the parent makes of the words of a child: it believes none that is not a lawful verdict."""

import asyncio
import os
import socket
import subprocess
from pathlib import Path

import pytest

from services.verifier.facts import MAX_ANSWER_BYTES, Verdict
from services.verifier.probe.child import TAKEN
from services.verifier.probe.pool import Pool
from services.verifier.probe.worker import Worker
from shared.reasons import Reason

LIES = [
    b"accepted\n",
    b"{}\n",
    b'{"reason":"provider_failed"}\n',
    b'{"facts":{"kind":"image"}}\n',
    b"x" * (MAX_ANSWER_BYTES + 1),
]


def verdict_on(answer: bytes, path: Path) -> Verdict:
    """The pool's verdict if its only child takes the file and then says `answer`."""

    async def ask() -> Verdict:
        pool = Pool(2**28, 5.0, "version")
        ours, theirs = socket.socketpair()
        # The process of the child is real, as the pool kills it; what it says is said for it here.
        process = subprocess.Popen(["sleep", "60"])
        ours.setblocking(False)
        pool.add(Worker(process.pid, ours))
        with theirs, path.open("rb") as file:
            theirs.setblocking(False)
            theirs.sendall(TAKEN + answer)
            verdict = await pool.examine(file.fileno(), None)
        pool.stop()
        process.returncode = 0
        return verdict

    return asyncio.run(ask())


@pytest.mark.parametrize("answer", LIES)
def test_an_answer_that_is_no_lawful_verdict_is_held_against_the_file(answer: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(100))
    verdict = verdict_on(answer, path)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "the examination gave no valid answer")


def test_a_child_cannot_choose_the_version_that_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    verdict = verdict_on(b'{"reason":"undecodable","verifier_version":"a lie"}\n', path)
    assert verdict.verifier_version == "version"
