"""`outlast list`: many tasks, newest or most urgent first, a page at a time."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.console import Console

from outlast.cli.connections import connections, opened
from outlast.cli.spans import TIME, since_of
from outlast.cli.table import SHORT_ID, print_tasks
from shared.errors import UsageError
from shared.reasons import Reason
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.database import Database
    from shared.db.listing import Page

WantedState = Annotated[State | None, typer.Option("--state", help="Only tasks in this state.")]
Account = Annotated[str | None, typer.Option(help="Only tasks of this account.")]
ProviderName = Annotated[str | None, typer.Option(help="Only outputs of this provider.")]
WantedReason = Annotated[
    Reason | None, typer.Option("--reason", metavar="REASON", help="Only tasks whose last trouble was this.")
]
Since = Annotated[str | None, typer.Option(help=f"Only tasks first heard of since then: 30m, 12h, 7d, or {TIME}.")]
AtRisk = Annotated[bool, typer.Option("--at-risk", help="Only outputs whose link ends soon; the most urgent first.")]
Urgent = Annotated[bool, typer.Option("--urgent", help="Only outputs that have no bytes yet; the most urgent first.")]
Limit = Annotated[int, typer.Option(help="Tasks on a page.", min=1, max=10_000)]
After = Annotated[str | None, typer.Option(metavar="ID", help="Begin behind this task: the last one of a page.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per task, one to a line.")]


def list_tasks(
    state: WantedState = None,
    account: Account = None,
    provider: ProviderName = None,
    reason: WantedReason = None,
    since: Since = None,
    at_risk: AtRisk = False,
    urgent: Urgent = False,
    limit: Limit = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """List tasks, the newest first.

    \b
    outlast list --state needs_attention --since 7d
    outlast list --account studio --reason url_expired --json
    outlast list --at-risk

    docs/reasons.md tells what each --reason means, and what to do.

    Needs OUTLAST_DATABASE_URL (and its _PASSWORD_FILE if wished), as the role
    outlast_reader; without it the local stack of this folder is used.
    """
    with opened(connections().database()) as database:
        from shared.db.listing import Listing, Wanted

        wanted = Wanted(
            account=account, state=state, provider=provider, reason=reason, since=since_of("--since", since)
        )
        listing = Listing(database, wanted, urgent=urgent, at_risk=at_risk)
        page = listing.page(limit, _task_id(database, after))
    print_tasks(Console(), page.tasks, as_json=as_json)
    _say_more(page)


def _task_id(database: "Database", name: str | None) -> UUID | None:
    from shared.db.listing import tasks_named

    if name is None:
        return None
    tasks = tasks_named(database, name)
    if len(tasks) != 1:
        raise UsageError(f"--after needs the id of one task; {name} names {len(tasks) or 'none'}.")
    return tasks[0].task_id


def _say_more(page: "Page") -> None:
    """On standard error, as the tasks alone are the result."""
    if not page.tasks and page.end is None:
        typer.echo("No task matches.", err=True)
    elif page.stopped_early:
        typer.echo(f"Stopped after looking at many tasks that do not match. Go on with: --after {page.end}", err=True)
    elif page.end is not None:
        typer.echo(f"More may follow: --after {str(page.end)[:SHORT_ID]}", err=True)
