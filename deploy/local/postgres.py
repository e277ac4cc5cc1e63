"""A private Postgres server: own data folder and port, loopback only, passwords always asked for."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from deploy.local.credentials import Credentials, write_private
from deploy.local.ports import HOST
from deploy.local.process import Process, StartError
from shared.errors import UsageError

INSTALLED = Path("/usr/lib/postgresql")
SUPERUSER = "postgres"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}
ALWAYS = {"listen_addresses": HOST, "unix_socket_directories": "", "max_connections": "400"}
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class Postgres:
    """The server process and its data under `folder/postgres`; `fast` gives up durability, for tests."""

    def __init__(self, folder: Path, ports: Mapping[str, int], credentials: Credentials, *, fast: bool) -> None:
        # SIGINT is the fast shutdown: open connections are closed instead of waited for.
        self.process = Process("postgres", folder, stop_with=signal.SIGINT)
        self._ports = ports
        self._home = folder / "postgres"
        self._data = self._home / "data"
        self._credentials = credentials
        self._settings = {**ALWAYS, **(FAST if fast else {})}

    @property
    def port(self) -> int:
        """The port of the server."""
        return self._ports["postgres"]

    def address(self) -> str:
        """Host and port as a URL, without user and password."""
        return f"postgresql://{HOST}:{self.port}"

    def url(self, role: str, database: str) -> str:
        """The libpq URL of a role, with its password."""
        return f"postgresql://{role}:{self.password(role)}@{HOST}:{self.port}/{database}"

    def password(self, role: str) -> str:
        """The password of a role."""
        return self.password_file(role).read_text(encoding="utf-8")

    def password_file(self, role: str) -> Path:
        """The file with the password of a role."""
        return self._credentials.password_file(f"postgres-{role}")

    def start(self, *, detach: bool) -> None:
        """Make the data folder when it is missing, and start the server."""
        programs = _programs(self._data)
        become = self._become()
        if not (self._data / "PG_VERSION").exists():
            self._initialise(programs, become)
        options = [f"--{name}={value}" for name, value in {**self._settings, "port": self.port}.items()]
        command = [str(programs / "postgres"), "-D", str(self._data), *options]
        self.process.start(command, ENVIRONMENT, detach=detach, become=become)

    def missing(self) -> str:
        """What the server lacks; empty when it accepts connections."""
        command = [str(_programs(self._data) / "pg_isready"), "-h", HOST, "-p", str(self.port), "-t", "2"]
        answer = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        return "" if answer.returncode == 0 else answer.stdout.strip()

    def _initialise(self, programs: Path, become: list[str]) -> None:
        shutil.rmtree(self._data, ignore_errors=True)
        password = self._home / "password"
        write_private(password, self.password(SUPERUSER))
        if become:
            shutil.chown(password, SUPERUSER)
        command = [str(programs / "initdb"), "-D", str(self._data), "-U", SUPERUSER, f"--pwfile={password}"]
        command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        done = subprocess.run([*become, *command], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        password.unlink()
        if done.returncode != 0:
            raise StartError(f"initdb failed:\n{done.stdout}{done.stderr}")

    def _become(self) -> list[str]:
        """The command in front that makes root the user `postgres`; Postgres refuses to run as root."""
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.geteuid() != 0:
            return []
        shutil.chown(self._home, SUPERUSER, SUPERUSER)
        return _as_postgres(self._home)


def _as_postgres(home: Path) -> list[str]:
    """The least powerful command with which the user `postgres` reaches `home`.

    A checkout under a folder that only root can enter needs one capability to pass through it.
    """
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    passing = [[f"--inh-caps=+{name}", f"--ambient-caps=+{name}"] for name in ("dac_read_search", "dac_override")]
    for capability in [[], *passing]:
        command = [*user, *capability]
        if subprocess.run([*command, "stat", str(home)], capture_output=True, check=False).returncode == 0:
            return command
    raise UsageError(f"The user `postgres` cannot reach {home}: choose another folder with --dir.")


def _programs(data: Path) -> Path:
    """The folder of the programs: the version that made the data, else the newest that is installed."""
    versions = [path.parent for path in INSTALLED.glob("*/bin") if (path / "initdb").exists()]
    if not versions:
        raise UsageError("Postgres is not installed. Run deploy/local/bootstrap.sh.")
    made_by = data / "PG_VERSION"
    if not made_by.exists():
        return max(versions, key=lambda path: int(path.name)) / "bin"
    version = made_by.read_text(encoding="utf-8").strip()
    if INSTALLED / version not in versions:
        raise UsageError(f"{data} is of Postgres {version}, which is not installed: install it or delete the folder.")
    return INSTALLED / version / "bin"
