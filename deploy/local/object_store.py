"""A private S3 server: `rclone serve s3` over a folder, loopback only, with one generated key."""

import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.local.credentials import Credentials
from deploy.local.ports import HOST
from deploy.local.process import Process
from deploy.local.s3_access import S3Access
from shared.errors import UsageError

REGION = "us-east-1"


class ObjectStore(S3Access):
    """The server process and its data under `folder/s3`; each folder in `data` is a bucket."""

    def __init__(self, folder: Path, ports: Mapping[str, int], credentials: Credentials) -> None:
        super().__init__("s3", ports, credentials)
        self.process = Process("s3", folder)
        self._home = folder / "s3"

    def start(self, *, detach: bool) -> None:
        """Start the server."""
        program = Path(sys.prefix) / "bin" / "rclone"
        if not program.exists():
            raise UsageError(f"There is no {program}. Run deploy/local/bootstrap.sh.")
        data = self._home / "data"
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [str(program), "serve", "s3", "--addr", f"{HOST}:{self.port}", str(data)]
        self.process.start(command, self._environment(), detach=detach)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self._home),
            "RCLONE_CONFIG": "/dev/null",
            "RCLONE_CACHE_DIR": str(self._home / "cache"),
            # With the default of 5 minutes an object that several writers made at once could stay unreadable.
            "RCLONE_DIR_CACHE_TIME": "1s",
            # Not an argument: those are there for every user of the machine to read. One quoted list item.
            "RCLONE_AUTH_KEY": f'"{self.access_key},{self.secret_key}"',
        }
