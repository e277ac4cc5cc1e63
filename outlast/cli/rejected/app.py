"""The commands of `outlast rejected`; without one it lists what was refused."""

from collections.abc import Callable

import typer

from outlast.cli.rejected.fetching import fetch
from outlast.cli.rejected.listing import Account, Before, Json, Limit, Purged, Since, WantedReason, list_rejected
from outlast.cli.rejected.purging import purge
from shared.errors import UsageError

COMMANDS: dict[str, Callable[..., None]] = {"fetch": fetch, "purge": purge}
rejected = typer.Typer()
for name, command in COMMANDS.items():
    rejected.command(name)(command)


@rejected.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    account: Account = None,
    reason: WantedReason = None,
    since: Since = None,
    before: Before = None,
    purged: Purged = False,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """List the bytes that were refused, the newest first; fetch them to look at, or purge them.

    \b
    outlast rejected
    outlast rejected --account studio --reason not_media --since 7d
    outlast rejected --purged --json
    outlast rejected fetch 82e3d5fd-79bb-5c5e-8faf-76efb6a0bfbe --to clip
    outlast rejected purge --older-than 14d --why "space"

    Refused bytes stay in staging for OUTLAST_REJECTED_SECONDS of the verifier,
    30 days. docs/rejected.md tells what may be done with them.

    Needs OUTLAST_DATABASE_URL (and its _PASSWORD_FILE if wished), as the role
    outlast_reader; without it the local stack of this folder is used.
    """
    if context.invoked_subcommand is None:
        list_rejected(account, reason, since, before, purged=purged, limit=limit, as_json=as_json)
    elif any(_is_given(context, name) for name in context.params):
        raise UsageError(f"Give options behind the command: outlast rejected {context.invoked_subcommand} ...")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
