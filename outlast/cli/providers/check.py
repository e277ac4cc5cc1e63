"""`outlast providers check`: asks a provider once about a job, with the real key."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from outlast.cli.link import link_of
from outlast.cli.providers.options import (
    Account,
    Folder,
    Json,
    Model,
    Name,
    ProviderAccount,
    ReadAs,
    Table,
    check_known,
    entries,
    surroundings,
    table_of,
)

QUESTIONS = (Table.POLL, Table.REFRESH)

Job = Annotated[str, typer.Option(help="The provider's id of the job.")]
Output = Annotated[str, typer.Option(help="The output, where the address of a refresh names it.")]
RecordUrl = Annotated[
    str | None,
    typer.Option(help="The address of the job's record, as the provider gave it; `-` reads it from standard input."),
]


def check(
    name: Name,
    job: Job,
    folder: Folder = None,
    account: Account = None,
    provider_account: ProviderAccount = "default",
    record_url: RecordUrl = None,
    read_as: ReadAs = None,
    output: Output = "0",
    model: Model = None,
    as_json: Json = False,
) -> None:
    """Ask a provider once about a job, with the key of the provider account, and tell what the answer means.

    \b
    outlast providers check replicate --job ufawqhfynnddngldkgtslldrkq
    outlast providers check fal --job 764cabcf --record-url - < status_url.txt
    outlast providers check runway --job 17f20503 --as refresh --json

    It only reads: one question, the same as a poll (or with --as refresh a
    refresh) would ask, and nothing is stored. OUTLAST_EGRESS_ALLOW,
    OUTLAST_EGRESS_HTTP, OUTLAST_CONNECT_SECONDS and OUTLAST_IDLE_SECONDS hold as
    in the services. Ends as `outlast providers test` does, and with 1 too where
    the provider does not answer or refuses.
    """
    registry = entries(folder)
    check_known(registry, name)
    entry = registry.find(name, model)
    table = table_of(entry, read_as, QUESTIONS)
    from outlast.cli.providers.asking import Inquiry
    from outlast.cli.providers.printing import print_seen
    from outlast.cli.providers.question import Question

    question = Question(name, table, model, account, provider_account, job, surroundings().policy())
    inquiry = Inquiry(registry, question, job, output, link_of(record_url))
    seen = inquiry.seen(datetime.now(UTC))
    print_seen(Console(), seen, as_json=as_json)
    raise typer.Exit(0 if seen.is_understood else 1)
