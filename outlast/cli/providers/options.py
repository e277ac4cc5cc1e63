"""The options that several of the commands have, and the entries and settings that they work on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import HttpUrl, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.egress import Policy
    from shared.providers import Provider, Registry

Name = Annotated[str, typer.Argument(metavar="NAME", help="The `provider` of events; `outlast providers` lists them.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--providers-dir", envvar="OUTLAST_PROVIDERS_DIR", show_envvar=False, help="Folder of your own provider files."
    ),
]
Model = Annotated[str | None, typer.Option(help="The model, where the entry says something else of it.")]
Account = Annotated[str | None, typer.Option(help="Who owns the assets; with it task ids are told.")]
ProviderAccount = Annotated[str, typer.Option(help="Whose key and secrets talk to the provider.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print a JSON object per entry, one to a line.")]


class Table(StrEnum):
    """What reads an answer, in the order in which it is looked for."""

    POLL = "poll"
    WEBHOOK = "webhook"
    REFRESH = "refresh"


ReadAs = Annotated[
    Table | None, typer.Option("--as", help="The table that reads it; default: the first of these that there is.")
]


class Surroundings(BaseSettings):
    """What a process of Outlast would be told; each field is the variable `OUTLAST_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", extra="ignore", hide_input_in_errors=True)

    egress_allow: str = ""
    egress_http: bool = False
    connect_seconds: float = 10.0
    idle_seconds: float = 30.0
    webhook_url: HttpUrl | None = None
    webhook_key_file: Path | None = None

    def policy(self) -> "Policy":
        """Which addresses may be asked. Raises UsageError for an OUTLAST_EGRESS_ALLOW that is none."""
        from shared.egress import Policy, parse_allow

        return Policy(
            allow=parse_allow(pair.strip() for pair in self.egress_allow.split(",") if pair.strip()),
            http=self.egress_http,
            connect_seconds=self.connect_seconds,
            idle_seconds=self.idle_seconds,
        )


def surroundings() -> Surroundings:
    """Read the environment. Raises UsageError that names each wrong variable, never its value."""
    try:
        return Surroundings()
    except ValidationError as error:
        faults = [f"OUTLAST_{str(fault['loc'][0]).upper()}: {fault['msg']}" for fault in error.errors()]
        raise UsageError("Settings are wrong:\n  " + "\n  ".join(faults)) from None


@contextmanager
def services_installed() -> Iterator[None]:
    """Raises UsageError where the block wants a package that producers do not have."""
    try:
        yield
    except ImportError as error:
        raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error


def entries(folder: Path | None) -> "Registry":
    """All entries. Raises UsageError for a bad file, which it names with line and remedy."""
    with services_installed():
        from shared.providers import Registry
    return Registry.load(folder)


def check_known(registry: "Registry", name: str) -> None:
    """Raises UsageError for a provider without an entry, which would be read by the generic one."""
    if registry.known(name):
        return
    near = get_close_matches(name, [entry.name for entry in registry.all()], n=1)
    hint = f"Did you mean {near[0]}?" if near else "`outlast providers` lists those that there are."
    raise UsageError(
        f"No entry is called {name}. {hint} Put a file of your own into a folder, and name it with --providers-dir."
    )


def table_of(entry: "Provider", wanted: Table | None, among: Sequence[Table] = tuple(Table)) -> Table:
    """The table that reads an answer. Raises UsageError where the entry has none."""
    there = [table for table in among if getattr(entry, table) is not None]
    if wanted is None and there:
        return there[0]
    if wanted is None or wanted not in there:
        missing = " or ".join(f"[{table}]" for table in ([wanted] if wanted else among))
        has = f" It has {', '.join(f'[{table}]' for table in there)}." if there else ""
        raise UsageError(f"The entry of {entry.name} has no table {missing}.{has}")
    return wanted
