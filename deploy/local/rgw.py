"""A private Ceph RGW, a full S3 (versions, lifecycle, policies): a gateway on a cluster of its own, loopback only."""

from collections.abc import Callable, Mapping
from pathlib import Path

from deploy.local.ceph import Cluster
from deploy.local.credentials import Credentials
from deploy.local.parts import OnReady, bring_up
from deploy.local.ports import HOST
from deploy.local.process import Ending, Process, stop_all
from deploy.local.s3_access import S3Access

PORTS = ("rgw", "ceph-mon")
"""The names of its ports."""

START_SECONDS = 120.0
_USER = "outlast"


class Daemon:
    """One of its processes."""

    def __init__(self, process: Process, cluster: Cluster, command: list[str], missing: Callable[[], str]) -> None:
        self.process = process
        self._cluster = cluster
        self._command = command
        self.missing = missing

    def start(self, *, detach: bool) -> None:
        """Start it in the foreground of its process."""
        command = self._cluster.command(self._command[0], "-f", *self._command[1:])
        self.process.start(command, self._cluster.environment(), detach=detach)

    def address(self) -> str:
        """Nobody but its own kin reaches it."""
        return HOST


class Rgw(S3Access):
    """The servers and their data under `folder/rgw`; one user with the stack's S3 key.

    The gateway answers only with the others behind it.
    """

    def __init__(self, folder: Path, ports: Mapping[str, int], credentials: Credentials) -> None:
        """`ports` has those of `PORTS`, when it is started at the latest."""
        super().__init__("rgw", ports, credentials)
        self._cluster = Cluster(folder / "rgw", ports)
        self._processes = [Process(name, folder) for name in ("ceph-mon", "ceph-osd", "rgw")]

    def start(self, on_ready: OnReady | None = None, *, detach: bool) -> None:
        """Start it, about 20 s, and make its user. Raises StartError, or UsageError where it is not installed."""
        self._cluster.make()
        bring_up(self._daemons(), on_ready, detach=detach, seconds=START_SECONDS)
        self._ensure_user()

    def stop(self) -> dict[str, Ending]:
        """Stop the gateway, then the storage, then the monitor; say how each ended."""
        endings: dict[str, Ending] = {}
        for process in reversed(self._processes):
            endings |= stop_all([process])
            # So that Python, too, knows that its child is gone.
            process.exit_code()
        return endings

    def _daemons(self) -> list[Daemon]:
        monitor, storage, gateway = self._processes
        frontend = f"--rgw-frontends=beast endpoint={HOST}:{self.port}"
        return [
            Daemon(monitor, self._cluster, ["ceph-mon", "-i", "a"], str),
            Daemon(storage, self._cluster, ["ceph-osd", "-i", "0"], str),
            Daemon(gateway, self._cluster, ["radosgw", "-n", "client.rgw.a", frontend], self.missing),
        ]

    def _ensure_user(self) -> None:
        command = self._cluster.command("radosgw-admin", "-n", "client.rgw.a")
        if f'"{_USER}"' in self._cluster.run([*command, "user", "list"]):
            return
        # Not arguments: those are there for every user of the machine to read.
        keys = f"--access-key={self.access_key} --secret-key={self.secret_key}"
        self._cluster.run([*command, "user", "create", f"--uid={_USER}", f"--display-name={_USER}"], CEPH_ARGS=keys)
