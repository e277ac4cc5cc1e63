"""The demonstration's own use of the local stack: start it for this provider, and read what it holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console

from deploy.local.demo.entry import write_entry
from deploy.local.demo.provider import DemoProvider
from deploy.local.environment import BROKER_USERS, DATABASE, ROLES, VHOST
from deploy.local.object_store import REGION
from deploy.local.parts import Part
from deploy.local.process import stop_all
from deploy.local.service import NAMES
from deploy.local.stack import Stack
from outlast.following import Read
from shared.db import Database
from shared.db.views import read_task
from shared.objects import Store

PART_BYTES = 8 * 2**20


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
    lines += [
        f"{'variables':<11} {stack.environment_file}",
        "",
        f"Stop it with: outlast down --dir {stack.folder}",
    ]
    return "\n".join(lines)


def _show(console: Console, part: Part, seconds: float) -> None:
    console.print(f"[green]ready[/green] {part.process.name:<11} {seconds:5.1f} s", highlight=False)
