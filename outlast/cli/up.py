"""`outlast up` and `outlast down`: the private local stack of this machine."""

from pathlib import Path
from typing import Annotated

import typer

from deploy.local.folders import STACK

Folder = Annotated[Path, typer.Option("--dir", help="Folder with the data, ports, secrets and logs of the stack.")]


def up(
    folder: Folder = STACK,
    servers_only: Annotated[
        bool,
        typer.Option("--servers-only", help="Start RabbitMQ, Postgres and S3 without the four services."),
    ] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Return once it is up; `outlast down` stops it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the addresses as one line of JSON.")] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="For tests: Postgres does not force writes to the disk.")
    ] = False,
) -> None:
    """Start a private stack on this machine: RabbitMQ, Postgres, S3 and the four services.

    \b
    outlast up
    outlast up --detach --dir /tmp/trial

    Everything listens on 127.0.0.1 only, on free ports, and keeps its data
    under one folder. Runs until Ctrl-C or `outlast down`, then stops
    everything. Says which part died, if one does, and goes on; of a stack that
    is up already, starts the parts again that have died.
    """
    # Imported here: the command starts quickly for everybody who needs no stack.
    from deploy.local.running import run

    run(folder, servers_only=servers_only, detach=detach, as_json=as_json, fast=fast)


def down(
    folder: Folder = STACK,
    as_json: Annotated[bool, typer.Option("--json", help="Print how each part ended as one line of JSON.")] = False,
) -> None:
    """Stop the stack that `outlast up` started, also after a crash; data and ports are kept.

    \b
    outlast down
    outlast down --dir /tmp/trial
    """
    from deploy.local.running import stop

    stop(folder, as_json=as_json)
