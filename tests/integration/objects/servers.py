"""S3 servers for tests: how to open a store on one, and a private rclone that a test may kill."""

import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shared.objects import Store

PART = 5 * 2**20
"""The least part that every S3 accepts, in bytes."""

_LISTENING = re.compile(r"Starting s3 server on \[(http://[^/\]]+)")


@dataclass(frozen=True)
class S3:
    """A running S3 service, as `stack.json` describes it."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str

    def open(self, **options: Any) -> Store:
        """A store on it, with further options of `Store.open`."""
        given = {"secret_key": self.secret_key, "part_bytes": PART, **options}
        return Store.open(self.endpoint, self.region, self.access_key, **given)

    def by_way_of(self, endpoint: str) -> "S3":
        """The same service behind a proxy."""
        return replace(self, endpoint=endpoint)


class OwnS3:
    """A private `rclone serve s3` over a folder."""

    def __init__(self, folder: Path) -> None:
        """Start it on a free port, which it chooses itself."""
        self._address = socket.socket()
        data = folder / "data"
        data.mkdir()
        self._log = folder / "rclone.log"
        access, secret = "key-of-a-test", "secret-of-a-test"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(Path(sys.prefix) / "bin" / "rclone"), "serve", "s3", "--addr", "127.0.0.1:0", str(data)],
                env={
                    "HOME": str(folder),
                    "RCLONE_CONFIG": "/dev/null",
                    "RCLONE_AUTH_KEY": f'"{access},{secret}"',
                    # After several writers at once to one key rclone may deny that it is there for this long.
                    "RCLONE_DIR_CACHE_TIME": "1s",
                },
                stdout=log,
                stderr=log,
            )
        self.s3 = S3(self._endpoint(), "us-east-1", access, secret)

    def kill(self) -> None:
        """End it as a power cut would; until `close` nobody else can answer at its address."""
        self._process.kill()
        self._process.wait()
        parts = urlsplit(self.s3.endpoint)
        self._address.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._address.bind((parts.hostname, parts.port))

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._address.close()

    def _endpoint(self) -> str:
        for _ in range(1500):
            if found := _LISTENING.search(self._log.read_text(encoding="utf-8")):
                return found.group(1)
            assert self._process.poll() is None, "rclone ended before it listened"
            time.sleep(0.02)
        raise AssertionError("rclone did not listen within 30 s")
