"""The probe as a program: verdicts over its socket, limits kept, children replaced, callers' errors told apart."""

import os
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.verifier.examine import ProbeAway, Prober
from shared.messages import Kind
from shared.reasons import Reason
from tests.integration.verifier.conftest import RunningProbe
from tests.integration.verifier.processes import children, until
from tests.media.documents import archive, pdf
from tests.media.moving import sound, video
from tests.media.pictures import blinking_gif, picture, png

Start = Callable[..., RunningProbe]


def busy_child(probe: RunningProbe) -> int:
    """The child that has an examined file open, once there is one."""
    found: list[int] = []

    def look() -> bool:
        for pid in children(probe.process.pid):
            links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
            found.extend(pid for link in links if link.startswith(str(probe.folder)))
        return bool(found)

    until(look)
    return found[0]


def slow_file() -> bytes:
    """A good animation that takes seconds to decode: each frame changes one pixel of many."""
    return blinking_gif(4000, 900)


def test_each_kind_is_accepted_with_the_version_of_its_judges(probe: RunningProbe) -> None:
    made = {Kind.VIDEO: video(), Kind.AUDIO: sound(), Kind.IMAGE: picture("AVIF"), Kind.PDF: pdf()}
    for kind, data in made.items():
        verdict = probe.examine(data, kind)
        assert verdict.accepted, verdict.detail
        assert "FFmpeg" in verdict.verifier_version
    assert "FFmpeg" in probe.examine(b"", None).verifier_version


def test_many_callers_at_once_each_get_their_own_verdict(probe: RunningProbe) -> None:
    def ask(number: int) -> bool:
        kind, data = ((Kind.IMAGE, picture()), (Kind.PDF, pdf()))[number % 2]
        facts = probe.examine(data, kind, f"file-{number}").facts
        return facts is not None and facts.kind is kind

    with ThreadPoolExecutor(8) as callers:
        assert all(callers.map(ask, range(60)))


def test_a_child_examines_many_files_and_a_refused_file_ends_it(start: Start) -> None:
    probe = start(children=1)
    first = children(probe.process.pid)
    assert probe.examine(picture()).accepted
    assert children(probe.process.pid) == first
    assert not probe.examine(b"no media").accepted
    assert probe.examine(picture()).accepted
    assert children(probe.process.pid) != first


def test_an_examination_that_takes_too_long_is_killed_and_the_probe_goes_on(start: Start) -> None:
    probe = start(seconds=0.3, children=1)
    started = time.monotonic()
    verdict = probe.examine(slow_file(), Kind.IMAGE)
    assert (verdict.reason, verdict.detail) == (Reason.PROBE_TIMEOUT, "no verdict within 0.3 s")
    assert time.monotonic() - started < 3
    assert probe.examine(picture(), Kind.IMAGE).accepted


def test_an_examination_that_takes_too_much_memory_is_refused_and_the_probe_goes_on(start: Start) -> None:
    probe = start(memory_bytes=40 * 2**20, children=1)
    verdict = probe.examine(png(9000, 9000, bytes(9001) * 9000), Kind.IMAGE)
    assert (verdict.reason, verdict.detail) == (Reason.PROBE_TIMEOUT, "the file needs more memory than is allowed")
    assert probe.examine(picture(), Kind.IMAGE).accepted


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (signal.SIGSEGV, Reason.UNDECODABLE),
        (signal.SIGABRT, Reason.UNDECODABLE),
        (signal.SIGKILL, Reason.PROBE_TIMEOUT),
        (signal.SIGXCPU, Reason.PROBE_TIMEOUT),
        (signal.SIGSYS, Reason.UNSAFE_MEDIA),
    ],
)
def test_a_child_that_dies_is_a_verdict_and_the_probe_goes_on(
    number: signal.Signals, reason: Reason, start: Start
) -> None:
    probe = start(children=1)
    (probe.folder / "slow").write_bytes(slow_file())
    with ThreadPoolExecutor(1) as caller:
        answer = caller.submit(probe.prober.examine, "slow", Kind.IMAGE)
        os.kill(busy_child(probe), number)
        verdict = answer.result(20)
    assert verdict.reason is reason
    assert number.name in verdict.detail
    assert probe.examine(picture(), Kind.IMAGE).accepted


def test_a_child_that_dies_while_it_is_idle_is_no_verdict_about_the_next_file(start: Start) -> None:
    probe = start(children=1)
    (idle,) = children(probe.process.pid)
    os.kill(idle, signal.SIGKILL)
    assert probe.examine(picture(), Kind.IMAGE).accepted


@pytest.mark.parametrize("name", ["../probe.sock", "/etc/passwd", ".", "..", "missing", "link", "folder", ".hidden"])
def test_a_name_that_is_no_file_of_the_folder_is_an_error_of_the_caller(name: str, start: Start) -> None:
    probe = start(children=1)
    (probe.folder / "link").symlink_to("/etc/passwd")
    (probe.folder / "folder").mkdir()
    with pytest.raises(ProbeAway):
        probe.prober.examine(name, None)
    assert probe.examine(picture()).accepted


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"[1]\n", b"not json\n", b'{"file": "a", "x": 1}\n', b"x" * 5000])
def test_nonsense_on_the_socket_is_answered_or_hung_up(line: bytes, probe: RunningProbe) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(probe.socket))
        connection.sendall(line)
        connection.shutdown(socket.SHUT_WR)
        try:
            answer = connection.recv(1000)
        except ConnectionResetError:
            answer = b""
    assert answer in {b"", b'{"error":"no valid request"}\n'}
    assert probe.examine(picture()).accepted


def test_nobody_who_listens_is_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(ProbeAway):
        Prober(tmp_path / "none.sock").examine("file", None)


@pytest.mark.parametrize("answer", [b"", b"{}\n", b'{"error":"x"}\n', b'{"reason":"database"}\n', b"\xff\n"])
def test_a_probe_that_answers_nonsense_is_away(answer: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as probe:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        probe.submit(serve)
        with pytest.raises(ProbeAway):
            Prober(path, patience=10).examine("file", None)


def test_a_large_archive_is_examined_without_being_held_in_memory(start: Start) -> None:
    probe = start(memory_bytes=40 * 2**20, children=1)
    data = archive({f"{number}": os.urandom(1000) * 30_000 for number in range(4)}, compression=0)
    facts = probe.examine(data, Kind.ARCHIVE).facts
    assert facts is not None
    assert facts.unpacked_bytes == 120_000_000
