"""What the doctor looks at: the environment, else the local stack of this folder with its services."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deploy.local.ports import HOST
from deploy.local.service import NAMES
from outlast.cli.connections import VARIABLES, Connections, running_stack
from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.doctor.scene import Scene


def scene_of(roles: Iterable[str], services: Iterable[str]) -> "Scene":
    """What is known of store, database, broker and services. Raises UsageError for words that are no `NAME=...`."""
    told = Connections()
    named = told.amqp_url or told.database_url or told.operator_database_url or told.s3_endpoint
    stack = None if named else running_stack()
    if stack:
        typer.echo(f"Looking at the local stack in {stack}", err=True)
        told = Connections(_env_file=stack / VARIABLES)
    return _scene(told, stack, roles, dict(map(_pair, services)))


def _scene(told: Connections, stack: Path | None, roles: Iterable[str], services: dict[str, str]) -> "Scene":
    try:
        from outlast.custody.doctor.roles import NEEDED
        from outlast.custody.doctor.scene import Scene
        from outlast.custody.doctor.variables import DoctorVariables
    except ImportError as error:
        raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error
    variables = DoctorVariables.read(**_of_stack(stack))
    keys = dict(map(_pair, roles))
    if unknown := sorted(set(keys) - set(NEEDED)):
        raise UsageError(f"There is no role {', '.join(unknown)}. There are: {', '.join(NEEDED)}.")
    return Scene(
        full_store=variables.store(),
        anonymous=variables.anonymous(),
        buckets=variables.buckets,
        input_prefix=variables.input_prefix,
        roles={name: variables.role(key) for name, key in keys.items()},
        database_url=told.database() if told.database_url else None,
        amqp_url=told.amqp() if told.amqp_url else None,
        services={**_services(stack), **services},
        keyring=variables.keyring_file,
    )


def _of_stack(stack: Path | None) -> dict[str, Any]:
    """What the variables are read from beside the environment."""
    if stack is None:
        return {}
    return {"_env_file": stack / VARIABLES, "keyring_file": stack / "secrets" / "keyring"}


def _services(stack: Path | None) -> dict[str, str]:
    """The health of a local stack's services, by the ports that it has settled."""
    if stack is None:
        return {}
    ports = json.loads((stack / "stack.json").read_text(encoding="utf-8"))["ports"]
    return {name: f"http://{HOST}:{ports[name]}" for name in NAMES if name in ports}


def _pair(told: str) -> tuple[str, str]:
    name, _, rest = told.partition("=")
    if not name or not rest:
        raise UsageError("A role is told as NAME=ACCESS_KEY:SECRET_FILE, a service as NAME=URL.")
    return name, rest
