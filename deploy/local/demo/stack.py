"""The demonstration's own use of the local stack: start it for this provider, and read what it holds."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console

from deploy.local.demo.entry import write_entry
from deploy.local.demo.provider import DemoProvider
from deploy.local.environment import BROKER_USERS, DATABASE, ROLES, VHOST
from deploy.local.folders import DEMO
from deploy.local.object_store import REGION
from deploy.local.parts import Part
from deploy.local.process import stop_all
from deploy.local.service import NAMES
from deploy.local.spoken import outlast
from deploy.local.stack import Stack
from outlast.following import Read
from shared.db import Database
from shared.db.views import read_task
from shared.errors import UsageError
from shared.objects import Store

PART_BYTES = 8 * 2**20


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder against other demonstrations. Raises UsageError when one runs there."""
    with (folder / "demo.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"A demo is running here, in {folder}. Wait for its end.") from None
        yield


def tell_of_kept(stack: Stack, console: Console) -> None:
    """Say what becomes of a stack that an earlier demonstration left running; silent without one."""
    if stack.running():
        later = "kept on" if stack.detach else "stopped at the end"
        console.print(f"The stack that runs here already is used, its services start anew, and it is {later}.")


def start(stack: Stack, provider: DemoProvider, address: str, console: Console) -> None:
    """Start servers and services, which may reach the provider's `address` and nothing else on loopback.

    Services that a kept demonstration left are started anew: they know another provider. Raises PartFailed.
    """
    entries = write_entry(stack.folder / "providers", provider.origin, provider.api_key)
    extra = {
        "OUTLAST_EGRESS_ALLOW": address,
        "OUTLAST_EGRESS_HTTP": "true",
        "OUTLAST_PROVIDERS_DIR": str(entries),
    }

    def on_server(part: Part, seconds: float) -> None:
        _show(console, part, seconds)
        stack.prepare(part.process.name)

    with console.status("starting"):
        with stack.locked():
            stop_all([stack.process(name) for name in NAMES])
        stack.start_servers(on_server)
        stack.start_services(NAMES, extra, partial(_show, console))


@contextmanager
def task_reader(stack: Stack) -> Iterator[Read]:
    """A look at tasks as the reader's role, over one connection."""
    database = Database(stack.postgres.url(ROLES["reader"], DATABASE), connections=1, name="outlast-demo")
    try:
        yield partial(read_task, database)
    finally:
        database.close()


def producer_url(stack: Stack) -> str:
    """The AMQP URL of a producer."""
    return stack.rabbitmq.url(BROKER_USERS["producer"], VHOST)


def asset_store(stack: Stack) -> Store:
    """The stack's object store."""
    server = stack.store
    return Store.open(server.address(), REGION, server.access_key, server.secret_key, part_bytes=PART_BYTES)


def address_book(stack: Stack) -> str:
    """Where the parts that were left running are, and how to stop them."""
    lines = [f"{name:<11} {address}" for name, address in stack.addresses().items()]
    lines += [f"{'variables':<11} {stack.environment_file}", ""]
    if stack.folder == Path.cwd() / DEMO:
        lines.append(f"Look at it with: {outlast('status')}")
    lines.append(f"Stop it with:    {outlast('down', '--dir', stack.folder)}")
    return "\n".join(lines)


def _show(console: Console, part: Part, seconds: float) -> None:
    console.print(f"[green]ready[/green] {part.process.name:<11} {seconds:5.1f} s", highlight=False)
