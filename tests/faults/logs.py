"""Logs on disk, searched for the canary."""

import os
from pathlib import Path

from tests.conftest import FOLDER
from tests.faults.canary import excerpts


class ServerLogs:
    """The logs of the servers that all tests share, from now on."""

    def __init__(self) -> None:
        told = os.environ.get("OUTLAST_TEST_STACK")
        self._folder = (Path(told).parent if told else FOLDER) / "log"
        self._sizes = {file: file.stat().st_size for file in self._files()}

    def leaks(self) -> list[str]:
        """The lines that tell a canary."""
        lines = ((file.name, line) for file in self._files() for line in self.new(file.name).splitlines())
        return [each for name, line in lines for each in excerpts(name, line)]

    def new(self, name: str) -> str:
        """What was written into a log since."""
        with (self._folder / name).open("rb") as log:
            log.seek(self._sizes.get(self._folder / name, 0))
            return log.read().decode("latin-1")

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.log"))


def log_files_that_leak(folder: Path) -> list[str]:
    """The lines that tell a canary in every log below a folder: of services, and of a stack's servers."""
    lines = ((file.name, line) for file in folder.rglob("*.log") for line in file.read_text("latin-1").splitlines())
    return [each for name, line in lines for each in excerpts(name, line)]
