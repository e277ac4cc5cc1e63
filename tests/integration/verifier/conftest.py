"""A real probe: the program with its socket, its folder and its confined children."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from services.verifier.examine import Prober
from services.verifier.facts import Verdict
from services.verifier.supervise import OwnProbe, start_probe
from shared.messages import Kind

MEMORY_BYTES = 512 * 2**20


class RunningProbe:
    """A probe and its folder; `examine` puts bytes into the folder and asks about them."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder / "files"
        self.folder.mkdir()
        self.socket = folder / "probe.sock"
        limits = {"memory_bytes": MEMORY_BYTES, "seconds": 10.0, "children": 2} | options
        self.process: OwnProbe = start_probe(self.socket, self.folder, **limits)
        self.prober = Prober(self.socket, patience=60.0)

    def examine(self, data: bytes, kind: Kind | None = None, name: str = "file") -> Verdict:
        """The verdict about bytes."""
        (self.folder / name).write_bytes(data)
        return self.prober.examine(name, kind)


@pytest.fixture
def start() -> Iterator[Callable[..., RunningProbe]]:
    """`start(seconds=..., memory_bytes=..., children=...)` gives a running probe of the test's own."""
    with ExitStack() as stack:

        def run(**options: Any) -> RunningProbe:
            # A socket's path is short, and the folder of a test is deep.
            folder = stack.enter_context(TemporaryDirectory(prefix="probe"))
            running = RunningProbe(Path(folder), **options)
            stack.callback(running.process.stop)
            return running

        yield run


@pytest.fixture(scope="module")
def probe() -> Iterator[RunningProbe]:
    """One probe for all tests of a module; they leave it as they found it."""
    with TemporaryDirectory(prefix="probe") as folder:
        running = RunningProbe(Path(folder))
        yield running
        running.process.stop()
