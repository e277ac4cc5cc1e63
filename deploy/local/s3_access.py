"""What every local S3 server tells of itself: its address, its one key, and whether it answers."""

from collections.abc import Mapping
from pathlib import Path

from deploy.local.credentials import Credentials
from deploy.local.loopback import call
from deploy.local.ports import HOST

SECRET = "s3-secret-key"  # noqa: S105 (the name of the file, not the secret)


class S3Access:
    """The address and the key of the server on the port called `name`."""

    def __init__(self, name: str, ports: Mapping[str, int], credentials: Credentials) -> None:
        """`ports` has that of `name`, when the server is started at the latest."""
        self._name = name
        self._ports = ports
        self._credentials = credentials

    @property
    def port(self) -> int:
        """The port of the server."""
        return self._ports[self._name]

    @property
    def access_key(self) -> str:
        """The one access key that the server knows."""
        return self._credentials.s3_access_key()

    @property
    def secret_key(self) -> str:
        """Its secret."""
        return self._credentials.password(SECRET)

    @property
    def secret_key_file(self) -> Path:
        """The file with its secret."""
        return self._credentials.password_file(SECRET)

    def address(self) -> str:
        """The S3 endpoint."""
        return f"http://{HOST}:{self.port}"

    def missing(self) -> str:
        """What the server lacks; empty when it answers."""
        status, body = call(self.port, "GET", "/")
        return "" if status else body
