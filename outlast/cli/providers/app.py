"""The commands of `outlast providers`; without one it lists them all."""

from collections.abc import Callable

import typer

from outlast.cli.providers.check import check
from outlast.cli.providers.known import list_entries, show
from outlast.cli.providers.options import Folder, JsonLines
from outlast.cli.providers.trial import try_sample
from outlast.cli.providers.webhook import webhook, webhook_key
from shared.errors import UsageError

COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_entries,
    "show": show,
    "test": try_sample,
    "check": check,
    "webhook": webhook,
    "webhook-key": webhook_key,
}
providers = typer.Typer()
for name, command in COMMANDS.items():
    providers.command(name)(command)


@providers.callback(invoke_without_command=True)
def overview(context: typer.Context, folder: Folder = None, as_json: JsonLines = False) -> None:
    """Tell what is known of providers, and try an entry on a real answer.

    \b
    outlast providers
    outlast providers show replicate
    outlast providers test acme --sample answer.json --providers-dir entries

    Without a command it lists all entries: those of Outlast and your own.
    docs/providers.md tells how an entry is written.
    """
    if context.invoked_subcommand is None:
        list_entries(folder, as_json)
    elif as_json or _is_given(context, "folder"):
        raise UsageError(f"Give options behind the command: outlast providers {context.invoked_subcommand} ...")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
