"""The list of refused bytes."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlast.cli.connections import connections, opened
from outlast.cli.printable import printable, shortened
from outlast.cli.spans import TIME, since_of, span
from outlast.cli.table import SHORT_ID, WHOLE_ID, WIDE
from shared.reasons import Reason

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.rejected import RejectedPage, SeenRejected

OUTPUT_LETTERS = 40

Account = Annotated[str | None, typer.Option(help="Only those of this account.")]
WantedReason = Annotated[Reason | None, typer.Option("--reason", metavar="REASON", help="Only those refused for this.")]
Since = Annotated[str | None, typer.Option(help=f"Only those refused since then: 30m, 12h, 7d, or {TIME}.")]
Before = Annotated[str | None, typer.Option(help="Only those refused before then; the next page begins so.")]
Purged = Annotated[bool, typer.Option("--purged", help="Also those that are deleted, with who did it and why.")]
Limit = Annotated[int, typer.Option(help="Lines of a page.", min=1, max=10_000)]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per refusal, one to a line.")]


def list_rejected(
    account: str | None,
    reason: Reason | None,
    since: str | None,
    before: str | None,
    *,
    purged: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Print a page of them, and on standard error how to see more."""
    with opened(connections().database()) as database:
        from shared.db.rejected import RejectedWanted, read_rejected

        wanted = RejectedWanted(account, reason, since_of("--since", since), since_of("--before", before), purged)
        page = read_rejected(database, wanted, limit)
    if as_json:
        for row in page.rows:
            typer.echo(row.model_dump_json())
    elif page.rows:
        _print(Console(), page.rows)
    _say_more(page)


def _print(console: Console, rows: "Iterable[SeenRejected]") -> None:
    if not console.is_terminal:
        console.width = max(console.width, 2 * WIDE)
    letters = WHOLE_ID if console.width >= WIDE else SHORT_ID
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("Task", "Claim", "Age", "Account", "Output", "Bytes", "Reason", "Kept"):
        table.add_column(name, no_wrap=name != "Output", justify="right" if name == "Bytes" else "left")
    now = datetime.now(UTC)
    for row in rows:
        words = (
            str(row.task_id)[:letters],
            str(row.epoch),
            span((now - row.rejected_at).total_seconds()),
            row.account,
            shortened(f"{row.provider} {row.job_id} {row.output_id}", OUTPUT_LETTERS),
            f"{row.size:,}",
            row.reason,
            kept(row),
        )
        table.add_row(*(Text(printable(word)) for word in words))
    console.print(table)


def kept(row: "SeenRejected") -> str:
    """How long the bytes stay, or what became of them: `until 2026-12-31`."""
    if row.purged_at:
        return f"purged by {row.purged_by}: {row.why}"
    return "in use again" if row.in_use else f"until {row.keep_until.astimezone(UTC):%Y-%m-%d}"


def _say_more(page: "RejectedPage") -> None:
    """On standard error, as the refusals alone are the result."""
    if page.end is not None:
        typer.echo(f"More may follow: --before {page.end.isoformat()}", err=True)
    elif not page.rows:
        typer.echo("Nothing that was refused matches.", err=True)
