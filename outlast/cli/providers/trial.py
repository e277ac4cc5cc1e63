"""`outlast providers test`: runs a saved answer through an entry."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console

from outlast.cli.providers.options import (
    Account,
    Folder,
    Json,
    Model,
    Name,
    ProviderAccount,
    ReadAs,
    check_known,
    entries,
    surroundings,
    table_of,
)

Sample = Annotated[str | None, typer.Option(metavar="FILE", help="The saved answer in JSON; `-` is standard input.")]
Status = Annotated[int | None, typer.Option(help='Its HTTP status, for a poll with answer = "head".')]
Header = Annotated[list[str] | None, typer.Option(metavar="NAME:VALUE", help="One of its headers, likewise.")]
Job = Annotated[str | None, typer.Option(help="The job's id, where the answer does not say it.")]


def try_sample(
    name: Name,
    sample: Sample = None,
    read_as: ReadAs = None,
    folder: Folder = None,
    account: Account = None,
    provider_account: ProviderAccount = "default",
    job: Job = None,
    model: Model = None,
    status: Status = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Run a saved answer of a provider through its entry, and tell what Outlast would do.

    \b
    outlast providers test replicate --sample answer.json --account studio
    curl -s https://api.acme.example/v1/jobs/42 | \\
        outlast providers test acme --sample - --providers-dir entries
    outlast providers test bfl --sample webhook.json --as webhook --json
    outlast providers test stability --status 200 --header finish-reason:SUCCESS

    Nothing is asked and nothing stored. No link is shown: only its host, and a
    digest of its path. With --account the task ids are told, the same as the
    services would make. A file of your own is checked first, and what is wrong
    in it is told with its line.

    Ends with 0 if the answer says how the job stands, and of a finished one
    names an output that can be fetched; else with 1.
    """
    registry = entries(folder)
    check_known(registry, name)
    entry = registry.find(name, model)
    table = table_of(entry, read_as)
    from outlast.cli.providers.printing import print_seen
    from outlast.cli.providers.question import Question
    from outlast.cli.providers.reading import understand
    from outlast.cli.providers.sample import document_of

    document = document_of(entry, table, sample, status, header or ())
    question = Question(name, table, model, account, provider_account, job, surroundings().policy())
    seen = understand(registry, question, document, datetime.now(UTC))
    print_seen(Console(), seen, as_json=as_json)
    raise typer.Exit(0 if seen.is_understood else 1)
