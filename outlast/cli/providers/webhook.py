"""`outlast providers webhook` and `webhook-key`: the address for a provider's webhooks, and the key that makes it."""

import base64
import json
import secrets
from pathlib import Path
from typing import Annotated

import typer

from deploy.local.credentials import write_private
from outlast.cli.providers.options import Folder, Json, Name, ProviderAccount, check_known, entries, surroundings
from shared.errors import UsageError
from shared.settings import secret_from

KEY_BYTES = 32

Account = Annotated[str, typer.Option(help="Who owns the assets.")]
KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the key, for its owner alone.")]
Add = Annotated[
    bool,
    typer.Option("--add", help="Put a new key in front of those that are there, which still hold for old addresses."),
]


def webhook(
    name: Name,
    account: Account,
    folder: Folder = None,
    provider_account: ProviderAccount = "default",
    as_json: Json = False,
) -> None:
    """Print the address to give to a provider for its webhooks.

    \b
    outlast providers webhook replicate --account studio
    outlast providers webhook bfl --account studio --provider-account eu --json

    The address speaks for this account and this provider account alone. Treat it
    as a credential: whoever knows it can send webhooks to it.

    Needs OUTLAST_WEBHOOK_URL and OUTLAST_WEBHOOK_KEY_FILE as the service has
    them; docs/webhooks.md tells how the door is opened.
    """
    registry = entries(folder)
    check_known(registry, name)
    entry = registry.find(name)
    if entry.webhook is None:
        raise UsageError(f"The entry of {name} has no table [webhook], so its webhooks would not be understood.")
    from outlast.cli.providers.places import places
    from services.ingest.webhooks.door_keys import read_keys
    from services.ingest.webhooks.public_url import PublicUrl

    told = surroundings()
    if told.webhook_url is None or told.webhook_key_file is None:
        raise UsageError("Set OUTLAST_WEBHOOK_URL and OUTLAST_WEBHOOK_KEY_FILE, as the service has them.")
    newest = read_keys(told.webhook_key_file)[0]
    address = PublicUrl(str(told.webhook_url)).callback(newest, account, name, provider_account)
    files = list(places(entry, provider_account))
    if as_json:
        typer.echo(json.dumps({"provider": name, "address": address, "scheme": entry.webhook.scheme, "files": files}))
        return
    typer.echo(address)
    for file in files:
        typer.echo(f"{file['path']} ({file['what']}): {file['state']}", err=True)


def webhook_key(file: KeyFile, add: Add = False) -> None:
    """Make a key for the addresses of webhooks, in a file that only its owner can read.

    \b
    outlast providers webhook-key /etc/outlast/webhook.key
    outlast providers webhook-key /etc/outlast/webhook.key --add

    To change the key, --add a new one, give the providers their new addresses,
    then take the old line out of the file.
    """
    if file.exists() and not add:
        raise UsageError(f"{file} is there already. With --add a new key is put in front of its keys.")
    old = secret_from(file) if file.exists() else ""
    try:
        write_private(file, "\n".join(filter(None, (_new_key(), old))) + "\n")
    except OSError as error:
        raise UsageError(f"The key cannot be written to {file}: {error.strerror}.") from None
    typer.echo(f"{file} holds a new key. Name it as OUTLAST_WEBHOOK_KEY_FILE.", err=True)


def _new_key() -> str:
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()
