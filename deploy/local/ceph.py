"""The smallest Ceph cluster that holds objects: one monitor and one storage daemon, made before any server runs."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from deploy.local.ports import HOST
from deploy.local.process import StartError
from shared.errors import UsageError

PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph-authtool", "monmaptool", "osdmaptool")
ENTITIES = {
    "mon.": ("mon", "allow *"),
    "osd.0": ("mon", "allow profile osd", "osd", "allow *"),
    "client.rgw.a": ("mon", "allow *", "osd", "allow *"),
}
"""Who there is, and what each may do."""

CONFIGURATION = """\
[global]
fsid = {fsid}
keyring = {home}/keyring
auth allow insecure global id reclaim = false
mon initial members = a
public network = 127.0.0.0/8
mon allow pool size one = true
mon data avail crit = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd crush update on start = false
osd memory target = 1073741824
# A sparse file: it takes the room of what was ever written.
bluestore block size = {capacity}
run dir = {home}/run
log file = {home}/log/$name.log
admin socket = {home}/run/$name.$pid.asok
mon data = {home}/mon
osd data = {home}/osd
rgw data = {home}/rgw
# What was deleted makes room within seconds, not hours.
rgw gc obj min wait = 1
rgw gc processor period = 5
rgw gc processor max time = 5
"""


class Cluster:
    """The files of a cluster of `capacity` bytes under `home`; its ports are given anew with every command."""

    def __init__(self, home: Path, ports: Mapping[str, int], capacity: int = 32 * 2**30) -> None:
        self._home = home
        self._ports = ports
        self._capacity = capacity
        self._made = home / "made"

    def make(self) -> None:
        """Make what is missing. Raises UsageError without Ceph's programs, StartError when one fails."""
        missing = [program for program in PROGRAMS if shutil.which(program) is None]
        if missing:
            raise UsageError(f"There is no {', '.join(missing)}. Run deploy/local/bootstrap-bench.sh.")
        if not self._made.exists():
            shutil.rmtree(self._home, ignore_errors=True)
            for name in ("mon", "osd", "rgw", "run", "log"):
                (self._home / name).mkdir(mode=0o700, parents=True)
            self._make_files()
            self._made.touch()
        self._move_monitor()

    def command(self, program: str, *arguments: str) -> list[str]:
        """The command of a daemon or an administrator's tool on this cluster."""
        monitor = f"--mon-host=[v2:{HOST}:{self._ports['ceph-mon']}/0]"
        return [program, f"--conf={self._home / 'ceph.conf'}", monitor, *arguments]

    def run(self, command: Sequence[str], **variables: str) -> str:
        """Run a tool to its end and return what it printed. Raises StartError when it fails."""
        done = subprocess.run(
            command, env={**self.environment(), **variables}, capture_output=True, text=True, check=False, timeout=120
        )
        if done.returncode != 0:
            raise StartError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def environment(self) -> dict[str, str]:
        """The variables of every program of the cluster."""
        return {"PATH": os.defpath, "HOME": str(self._home)}

    def _make_files(self) -> None:
        conf = CONFIGURATION.format(fsid=uuid4(), home=self._home, capacity=self._capacity)
        (self._home / "ceph.conf").write_text(conf, encoding="utf-8")
        keyring = str(self._home / "keyring")
        self.run(["ceph-authtool", "--create-keyring", keyring])
        for name, caps in ENTITIES.items():
            pairs = zip(caps[::2], caps[1::2], strict=True)
            self.run(["ceph-authtool", keyring, "--gen-key", "-n", name, *(w for p in pairs for w in ("--cap", *p))])
        # With the storage daemon in the first map nobody must be asked to admit it.
        self.run(self.command("osdmaptool", "--createsimple", "1", self._file("osdmap")))
        made_of = [f"--monmap={self._monitor_map()}", f"--osdmap={self._file('osdmap')}", f"--keyring={keyring}"]
        self.run(self.command("ceph-mon", "--mkfs", "-i", "a", *made_of))
        self.run(self.command("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", str(uuid4()), "--no-mon-config"))

    def _move_monitor(self) -> None:
        """Tell the monitor its port, which is part of its data."""
        self.run(self.command("ceph-mon", "-i", "a", f"--inject-monmap={self._monitor_map()}"))

    def _monitor_map(self) -> str:
        place = self._file("monmap")
        address = f"[v2:{HOST}:{self._ports['ceph-mon']}]"
        fsid = (self._home / "ceph.conf").read_text(encoding="utf-8").split("fsid = ")[1].split()[0]
        self.run(["monmaptool", "--create", "--clobber", "--fsid", fsid, "--addv", "a", address, place])
        return place

    def _file(self, name: str) -> str:
        return str(self._home / name)
