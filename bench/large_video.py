"""A video of any size, and the memory that the verifier, its probe and the probe's children take for it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import av
from av.packet import Packet
from av.video.stream import VideoStream
from PIL import Image

SIZE, GRAIN = (1920, 1080), 4
RATE = 24
LOOK_SECONDS = 0.05


def write_video(path: Path, size: int) -> None:
    """Write a QuickTime film of at least `size` bytes: one JPEG of coarse grain shown again and again."""
    target = BytesIO()
    width, height = SIZE[0] // GRAIN, SIZE[1] // GRAIN
    Image.frombytes("RGB", (width, height), os.urandom(width * height * 3)).resize(SIZE).save(target, "JPEG")
    picture = target.getvalue()
    with av.open(str(path), "w", format="mov") as output:
        stream = output.add_stream("mjpeg", rate=RATE)
        if not isinstance(stream, VideoStream):
            raise TypeError("mjpeg is no video")
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuvj420p"
        for number in range(size // len(picture) + 1):
            packet = Packet(picture)
            packet.stream, packet.time_base, packet.is_keyframe = stream, Fraction(1, RATE), True
            packet.pts = packet.dts = number
            output.mux(packet)


@dataclass
class Peaks:
    """Most memory since a look began, in bytes: the resident set of each process, and what all have together.

    `together` is the sum of proportional sets (PSS): a page that several of them share is counted once.
    """

    resident: dict[str, int] = field(default_factory=dict)
    together: int = 0

    @property
    def added(self) -> int:
        """The sum of the single peaks; shared pages count several times."""
        return sum(self.resident.values())


@contextmanager
def watched(verifier: int, probe: int) -> Iterator[Peaks]:
    """Look at the processes, and at the largest child of the probe, while the block runs."""
    peaks, stop = Peaks(), Event()
    watcher = Thread(target=_watch, args=(peaks, verifier, probe, stop))
    watcher.start()
    try:
        yield peaks
    finally:
        stop.set()
        watcher.join()


def _watch(peaks: Peaks, verifier: int, probe: int, stop: Event) -> None:
    while True:
        _look(peaks, verifier, probe)
        if stop.wait(LOOK_SECONDS):
            return


def _look(peaks: Peaks, verifier: int, probe: int) -> None:
    children = [int(pid) for pid in _read(probe, f"task/{probe}/children").split()]
    child = max(children, key=lambda pid: _kib(pid, "status", "VmHWM"), default=0)
    for name, pid in (("verifier", verifier), ("probe", probe), ("child", child)):
        peaks.resident[name] = max(peaks.resident.get(name, 0), 1024 * _kib(pid, "status", "VmHWM"))
    now = sum(_kib(pid, "smaps_rollup", "Pss") for pid in (verifier, probe, child))
    peaks.together = max(peaks.together, 1024 * now)


def _kib(pid: int, file: str, name: str) -> int:
    """A figure of a process, 0 of one that is gone."""
    lines = (line.split() for line in _read(pid, file).splitlines())
    return next((int(words[1]) for words in lines if words and words[0] == f"{name}:"), 0)


def _read(pid: int, file: str) -> str:
    try:
        return Path(f"/proc/{pid}/{file}").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return ""
