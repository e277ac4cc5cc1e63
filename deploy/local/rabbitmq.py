"""A private RabbitMQ node with its management API: own data, cookie, ports and port mapper, loopback only."""

import signal
from collections.abc import Mapping
from pathlib import Path

from deploy.local.credentials import Credentials, write_private
from deploy.local.loopback import call
from deploy.local.ports import HOST
from deploy.local.process import Process
from shared.errors import UsageError

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
ADMINISTRATOR = "outlast_admin"
NODE = "outlast@localhost"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PORTS = ("amqp", "management", "distribution", "epmd")
# When it stops, the management plugin waits 5 s for an answer that cannot come any more.
ERLANG = "-noinput -kernel inet_dist_use_interface {127,0,0,1} -kernel shutdown_timeout 2000"


class RabbitMQ:
    """The node and its port mapper, with their data under `folder/rabbitmq`."""

    def __init__(self, folder: Path, ports: Mapping[str, int], credentials: Credentials) -> None:
        # While it boots, the node loses signals that it could catch.
        self.process = Process("rabbitmq", folder, orphaned=signal.SIGKILL, ask_again=True)
        self.epmd = Process("epmd", folder)
        self.ports = ports
        self._home = folder / "rabbitmq"
        self._credentials = credentials

    def address(self) -> str:
        """The AMQP address, without user and password."""
        return f"amqp://{HOST}:{self.ports['amqp']}"

    def management(self) -> str:
        """The address of the management page and API."""
        return f"http://{HOST}:{self.ports['management']}"

    def url(self, user: str, vhost: str) -> str:
        """The AMQP URL of a user, with its password; `vhost` is percent-encoded."""
        return f"amqp://{user}:{self.password(user)}@{HOST}:{self.ports['amqp']}/{vhost}"

    def password(self, user: str) -> str:
        """The password of a user."""
        return self.password_file(user).read_text(encoding="utf-8")

    def password_file(self, user: str) -> Path:
        """The file with the password of a user."""
        return self._credentials.password_file(f"rabbitmq-{user}")

    def start(self, *, detach: bool) -> None:
        """Start the port mapper and the node."""
        if not SERVER.exists():
            raise UsageError("RabbitMQ is not installed. Run deploy/local/bootstrap.sh.")
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write_configuration()
        environment = self._environment()
        if not self.epmd.alive():
            # A mapper of our own: another node of this machine may own the usual one, and may take it down.
            command = ["epmd", "-port", str(self.ports["epmd"]), "-address", HOST]
            self.epmd.start(command, environment, detach=detach)
        self.process.start([str(SERVER)], environment, detach=detach)

    def missing(self) -> str:
        """What the node lacks; empty when AMQP and the management API answer."""
        status, body = self.call("GET", f"/health/checks/port-listener/{self.ports['amqp']}")
        return "" if status == 200 else f"management API: {status} {body}"

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> tuple[int, str]:
        """Ask the management API as the administrator: `path` is what follows `/api`."""
        user = (ADMINISTRATOR, self.password(ADMINISTRATOR))
        return call(self.ports["management"], method, f"/api{path}", user=user, body=body)

    def _write_configuration(self) -> None:
        lines = {
            "listeners.tcp.1": f"{HOST}:{self.ports['amqp']}",
            "management.tcp.ip": HOST,
            "management.tcp.port": self.ports["management"],
            "default_user": ADMINISTRATOR,
            "default_pass": self.password(ADMINISTRATOR),
            "log.console": "false",
            "log.dir": self.process.log.parent,
            "log.file": self.process.log.name,
        }
        text = "".join(f"{name} = {value}\n" for name, value in lines.items())
        write_private(self._home / "rabbitmq.conf", text)
        (self._home / "enabled_plugins").write_text("[rabbitmq_management].\n", encoding="utf-8")
        # Debian's /etc/rabbitmq/rabbitmq-env.conf would otherwise have its say.
        (self._home / "environment.conf").touch()

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": PATH,
            "LANG": "C.UTF-8",
            "HOME": str(self._home),
            "ERL_EPMD_PORT": str(self.ports["epmd"]),
            "ERL_EPMD_ADDRESS": HOST,
            # The node would start a mapper that outlives it when it misses ours.
            "ERL_ZFLAGS": "-start_epmd false",
            "ERL_CRASH_DUMP": str(self.process.log.with_name("erl_crash.dump")),
            "RABBITMQ_NODENAME": NODE,
            "RABBITMQ_DIST_PORT": str(self.ports["distribution"]),
            "RABBITMQ_MNESIA_BASE": str(self._home / "data"),
            "RABBITMQ_LOG_BASE": str(self.process.log.parent),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._home / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(self._home / "rabbitmq"),
            "RABBITMQ_CONF_ENV_FILE": str(self._home / "environment.conf"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": ERLANG,
            # Lets the start script become the node, so that the pid is the node's.
            "RABBITMQ_ALLOW_INPUT": "1",
        }
