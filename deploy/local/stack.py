"""The whole local stack under one folder: three servers, and the four services on them."""

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.local.credentials import Credentials, write_private
from deploy.local.description import describe
from deploy.local.environment import DATABASE, VHOST, Environment, to_lines
from deploy.local.object_store import ObjectStore
from deploy.local.parts import OnReady, Part, bring_up
from deploy.local.ports import settle
from deploy.local.postgres import Postgres
from deploy.local.process import Ending, Process, stop_all
from deploy.local.rabbitmq import PORTS, RabbitMQ
from deploy.local.service import NAMES, Service
from shared.errors import UsageError

BUCKETS = ("outlast-input", "outlast-staging", "outlast-assets", "outlast-output")
PORT_OWNERS = {**dict.fromkeys(PORTS, "rabbitmq"), **{name: name for name in ("postgres", "s3", *NAMES)}}
STOP_ORDER = (tuple(reversed(NAMES)), ("s3", "postgres", "rabbitmq"), ("epmd",))
START_SECONDS = 120.0


class Stack:
    """One private stack; its folder keeps data, ports, secrets and logs between runs."""

    def __init__(self, folder: Path, *, fast: bool, detach: bool) -> None:
        self.folder = folder
        self.detach = detach
        credentials = Credentials(folder / "secrets")
        self._ports: dict[str, int] = {}
        self.postgres = Postgres(folder, self._ports, credentials, fast=fast)
        self.rabbitmq = RabbitMQ(folder, self._ports, credentials)
        self.store = ObjectStore(folder, self._ports, credentials)
        self.services = {name: Service(name, folder, self._ports) for name in NAMES}
        self._environment = Environment(self.postgres, self.rabbitmq, self.store, credentials)

    @classmethod
    def open(cls, folder: Path, *, fast: bool = False, detach: bool = False) -> "Stack":
        """The stack of a folder, made when it is missing; nothing is started.

        `fast` gives up the durability of Postgres, for tests. With `detach` the parts outlive the caller;
        without it they end with the thread that starts them. Raises UsageError for an unusable folder.
        """
        stack = cls(folder.absolute(), fast=fast, detach=detach)
        try:
            stack.folder.mkdir(parents=True, exist_ok=True)
            stack._ports.update(stack._known_ports())
        except OSError as error:
            raise UsageError(f"Cannot use the folder {folder}: {error.strerror}.") from error
        return stack

    def start_servers(self, on_ready: OnReady | None = None) -> None:
        """Start the servers that do not run, all at once, and wait for them. Raises StartError."""
        with self.locked():
            self._settle_ports()
            bring_up((self.rabbitmq, self.store, self.postgres), on_ready, detach=self.detach, seconds=START_SECONDS)

    def prepare(self, server: str) -> None:
        """Make on a running server what the services need: schema, users and queues, or buckets."""
        # Imported here: these libraries are slow to load, and RabbitMQ is starting meanwhile.
        from deploy.local import prepare

        match server:
            case "postgres":
                prepare.prepare_database(self.postgres)
            case "rabbitmq":
                prepare.prepare_broker(self.rabbitmq)
            case "s3":
                prepare.prepare_buckets(self.store, BUCKETS)

    def start_services(
        self,
        names: Sequence[str] = NAMES,
        extra_env: Mapping[str, str] | None = None,
        on_ready: OnReady | None = None,
    ) -> None:
        """Start services that do not run, with further variables, and wait until each says it is ready.

        Raises StartError.
        """
        services = [self.services[name] for name in names]
        with self.locked():
            for service in services:
                service.environment = {**self.environment(service.process.name), **(extra_env or {})}
            bring_up(services, on_ready, detach=self.detach, seconds=START_SECONDS)

    def environment(self, name: str) -> dict[str, str]:
        """The `OUTLAST_*` variables of a service or of another name that `Environment.of` knows."""
        return self._environment.of(name)

    def stop(self, *, only_started_here: bool = False) -> dict[str, Ending]:
        """Stop services, then servers, also those that a crashed starter left; say how each ended."""
        with self.locked():
            endings: dict[str, Ending] = {}
            for group in STOP_ORDER:
                processes = [self.process(name) for name in group]
                endings |= stop_all(p for p in processes if p.started_here() or not only_started_here)
            return endings

    def process(self, name: str) -> Process:
        """The process of a server or service; `epmd` is RabbitMQ's port mapper."""
        return {process.name: process for process in (self.rabbitmq.epmd, *(part.process for part in self.parts()))}[
            name
        ]

    def running(self) -> list[Process]:
        """The processes that live, in the order in which they started."""
        names = [name for group in reversed(STOP_ORDER) for name in reversed(group)]
        return [process for process in map(self.process, names) if process.alive()]

    def dead(self) -> list[str]:
        """The servers and services that were started and have ended by themselves."""
        return [part.process.name for part in self.parts() if part.process.recorded() and not part.process.alive()]

    def parts(self) -> list[Part]:
        """Servers, then services."""
        return [self.rabbitmq, self.store, self.postgres, *self.services.values()]

    def addresses(self) -> dict[str, str]:
        """Where each part that runs is reached, without credentials."""
        found = {
            "amqp": f"{self.rabbitmq.address()}/{VHOST}",
            "management": self.rabbitmq.management(),
            "postgres": f"{self.postgres.address()}/{DATABASE}",
            "s3": self.store.address(),
        }
        return found | {name: part.address() for name, part in self.services.items() if part.process.alive()}

    @property
    def environment_file(self) -> Path:
        """The file with the variables of a person at a terminal."""
        return self.folder / "outlast.env"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against other starters and stoppers; not to be nested."""
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _known_ports(self) -> dict[str, int]:
        try:
            ports: dict[str, int] = json.loads((self.folder / "stack.json").read_text(encoding="utf-8"))["ports"]
        except FileNotFoundError:
            return {}
        return ports

    def _settle_ports(self) -> None:
        """Keep the ports of what runs and those still free; choose others for the rest; write them down."""
        if not self.rabbitmq.process.alive():
            stop_all([self.rabbitmq.epmd])
        known = self._known_ports()
        held = {name: known[name] for name in known if self.process(PORT_OWNERS[name]).alive()}
        self._ports.update(held | settle(known, [name for name in PORT_OWNERS if name not in held]))
        description = describe(self._ports, self.postgres, self.rabbitmq, self.store)
        write_private(self.folder / "stack.json", json.dumps(description, indent=2) + "\n")
        write_private(self.environment_file, to_lines(self._environment.of_a_person()))
