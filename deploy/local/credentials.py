"""Generated passwords and keys, one file of mode 0600 each."""

import base64
import os
import secrets
from collections.abc import Callable
from pathlib import Path


class Credentials:
    """The secrets of one stack; each is made when it is first asked for and kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def password(self, name: str) -> str:
        """The password called `name`: 32 hexadecimal digits."""
        return self.password_file(name).read_text(encoding="utf-8")

    def password_file(self, name: str) -> Path:
        """The file with the password called `name`."""
        return self._file(name, lambda: secrets.token_hex(16))

    def s3_access_key(self) -> str:
        """The access key of the S3 server: 20 characters."""
        return self._file("s3-access-key", _access_key).read_text(encoding="utf-8")

    def keyring_file(self) -> Path:
        """The file of sealing keys, a line `id:base64` of 32 bytes each."""
        return self._file("keyring", _keyring)

    def _file(self, name: str, make: Callable[[], str]) -> Path:
        path = self._folder / name
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, make())
        return path


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; readers see the old or the new text, never a part."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    partial.replace(path)


def _access_key() -> str:
    return "OUTL" + base64.b32encode(secrets.token_bytes(10)).decode()


def _keyring() -> str:
    return f"local:{base64.b64encode(secrets.token_bytes(32)).decode()}\n"
