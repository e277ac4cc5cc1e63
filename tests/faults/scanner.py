"""A private clamd with one signature of our own; it reads no other database, and nothing keeps it up to date."""

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

CLAMD = Path("/usr/sbin/clamd")
MALWARE = b"OUTLAST-TEST-FILE-THAT-EVERY-SCANNER-OF-THESE-TESTS-REFUSES"
NAME = "Outlast.Test-File.UNOFFICIAL"
"""How clamd calls it."""


class OwnScanner:
    """A clamd on a Unix socket; `more` are further lines of its configuration. Use it with `with`."""

    def __init__(self, *more: str) -> None:
        # Short, as the path of a socket must be.
        self._folder = tempfile.TemporaryDirectory(prefix="clamd")
        folder = Path(self._folder.name)
        self.socket = folder / "socket"
        (folder / "own.ndb").write_text(f"{NAME.removesuffix('.UNOFFICIAL')}:0:*:{MALWARE.hex()}\n")
        lines = [f"LocalSocket {self.socket}", f"DatabaseDirectory {folder}", "Foreground yes", *more]
        self._config = folder / "clamd.conf"
        self._config.write_text("\n".join([*lines, ""]))
        self._process: subprocess.Popen[bytes]
        self.start()

    @property
    def address(self) -> str:
        """As `OUTLAST_CLAMD` names it."""
        return f"unix:{self.socket}"

    def start(self) -> None:
        """Start it and wait until it listens."""
        assert CLAMD.exists(), "clamd is missing: run deploy/local/bootstrap-scanner.sh"
        with (self._config.parent / "log").open("ab") as log:
            command = [str(CLAMD), f"--config-file={self._config}"]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(1500):
            if self.socket.exists():
                return
            assert self._process.poll() is None, (self._config.parent / "log").read_text()
            time.sleep(0.02)
        raise AssertionError("clamd did not listen within 30 s")

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()
        self.socket.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._folder.cleanup()
