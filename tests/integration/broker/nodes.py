"""RabbitMQ nodes for tests: virtual hosts and users by the management API, and a node of one's own."""

import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from deploy.local.credentials import Credentials
from deploy.local.loopback import call
from deploy.local.ports import HOST, settle
from deploy.local.process import Process, stop_all
from deploy.local.rabbitmq import ADMINISTRATOR, NODE, PORTS, RabbitMQ
from tests.integration.broker.polling import eventually

CONTROL = "/usr/lib/rabbitmq/bin/rabbitmqctl"


@dataclass(frozen=True)
class Node:
    """A running node as `stack.json` describes it, seen by its administrator."""

    host: str
    port: int
    user: str
    password: str
    management_port: int

    @contextmanager
    def virtual_host(self) -> Iterator[str]:
        """The administrator's AMQP URL of a fresh virtual host, which is deleted at the end."""
        name = f"test-{uuid.uuid4().hex[:12]}"
        self.put(f"/vhosts/{name}", {})
        self.grant(name, self.user, configure=".*", write=".*", read=".*")
        yield self.url(name)
        self.call("DELETE", f"/vhosts/{name}")

    def url(self, virtual_host: str, user: str | None = None, password: str | None = None) -> str:
        """An AMQP URL, by default the administrator's."""
        login = f"{user or self.user}:{quote(password or self.password, safe='')}"
        return f"amqp://{login}@{self.host}:{self.port}/{virtual_host}"

    def grant(self, virtual_host: str, user: str, **rights: str) -> None:
        """Set a user's rights in a virtual host."""
        self.put(f"/permissions/{virtual_host}/{user}", rights)

    def limit_length(self, virtual_host: str, queue: str, length: int) -> None:
        """Lower a queue's maximum length by a policy."""
        policy = {"pattern": f"^{queue}$", "definition": {"max-length": length}, "apply-to": "queues"}
        self.put(f"/policies/{virtual_host}/short", policy)

    def put(self, path: str, body: Mapping[str, object]) -> None:
        """PUT to the management API; anything but success fails the test."""
        status, answer = self.call("PUT", path, body)
        assert status in (201, 204), f"PUT {path}: {status} {answer}"

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> tuple[int, str]:
        """Ask the management API."""
        login = (self.user, self.password)
        return call(self.management_port, method, f"/api{path}", user=login, body=body)


class OwnNode:
    """A private node that a test may stop, start and put under pressure."""

    def __init__(self, folder: Path) -> None:
        self._home = folder / "rabbitmq"
        self._ports = settle({}, PORTS)
        self._server = RabbitMQ(folder, self._ports, Credentials(folder / "secrets"))

    def start(self) -> Node:
        """Start the node unless it runs, and wait until it answers."""
        if not self._server.process.alive():
            self._server.start(detach=False)
        eventually(lambda: not self._server.missing(), 60)
        password = self._server.password(ADMINISTRATOR)
        return Node(HOST, self._ports["amqp"], ADMINISTRATOR, password, self._ports["management"])

    def stop(self) -> None:
        """Stop the node as an operator would."""
        self._stop(self._server.process)

    def end(self) -> None:
        """Stop the node and its port mapper."""
        self.stop()
        self._stop(self._server.epmd)

    def _stop(self, process: Process) -> None:
        stop_all([process])
        # The node's first thread is dead before its others are, and only then can it be reaped.
        eventually(lambda: process.exit_code() is not None)

    def control(self, *words: str) -> str:
        """Run `rabbitmqctl` and return what it prints."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self._home),
            "ERL_EPMD_PORT": str(self._ports["epmd"]),
        }
        command = [CONTROL, "-q", "-n", NODE, *words]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=30)
        return done.stdout
