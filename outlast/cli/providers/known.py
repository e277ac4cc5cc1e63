"""`outlast providers list` and `show`: what the entries say."""

import json

import typer
from rich.console import Console

from outlast.cli.providers.options import Folder, Json, JsonLines, Model, Name, ProviderAccount, check_known, entries


def list_entries(folder: Folder = None, as_json: JsonLines = False) -> None:
    """List all entries: how long links live, how the end of a job becomes known, and how sure that is.

    \b
    outlast providers list
    outlast providers list --providers-dir entries --json
    """
    registry = entries(folder)
    from outlast.cli.providers.sheet import print_list, summary

    known = sorted(registry.all(), key=lambda entry: entry.name)
    if as_json:
        for entry in known:
            typer.echo(json.dumps(summary(entry), ensure_ascii=False))
    else:
        print_list(Console(), known)


def show(
    name: Name,
    folder: Folder = None,
    provider_account: ProviderAccount = "default",
    model: Model = None,
    as_json: Json = False,
) -> None:
    """Show all that is known of a provider: what is done for it, what is lost when, and every fact.

    \b
    outlast providers show replicate
    outlast providers show kling --provider-account studio-key --json

    Also tells where the key and the secrets of the provider account are looked
    for, and whether they are there.
    """
    registry = entries(folder)
    check_known(registry, name)
    from outlast.cli.providers.sheet import print_sheet, sheet

    shown = sheet(registry, name, model, provider_account)
    if as_json:
        typer.echo(json.dumps(shown, ensure_ascii=False))
    else:
        print_sheet(Console(), shown)
