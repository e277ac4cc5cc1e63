"""`outlast status`: how all tasks stand."""

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deploy.local.spoken import outlast
from outlast.cli.connections import connections, opened
from outlast.cli.printable import printable
from outlast.cli.spans import span

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.standing import LinkLife, Standing, StateCount

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def status(as_json: Json = False) -> None:
    """Count the tasks by state, and tell what is at risk and how long links live.

    \b
    outlast status
    outlast status --json

    Counts end at 100,000, so that looking costs the same at any number of tasks.

    Needs OUTLAST_DATABASE_URL (and its _PASSWORD_FILE if wished), as the role
    outlast_reader; without it the local stack of this folder is used.
    """
    with opened(connections().database()) as database:
        from shared.db.standing import read_standing

        standing = read_standing(database)
    if as_json:
        typer.echo(json.dumps(_as_json(standing)))
        return
    console = Console()
    console.print(_states(standing.states))
    for name, value in _lines(standing):
        console.print(f"{name:<10} {value}", markup=False, highlight=False, soft_wrap=True)
    if standing.lives:
        console.print(_lives(standing.lives))


def counted(number: int) -> str:
    """A count in words: one at its limit may stand for any more."""
    from shared.db.standing import MOST_COUNTED

    return f"{number:,} or more" if number >= MOST_COUNTED else f"{number:,}"


def _as_json(standing: "Standing") -> dict[str, object]:
    return {
        "states": [state.model_dump() for state in standing.states],
        **standing.ended.model_dump(),
        "link_lives": [life.model_dump(mode="json") for life in standing.lives],
    }


def _states(states: "Iterable[StateCount]") -> Table:
    table = Table("State", "Tasks", "Oldest output", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for row in states:
        table.add_row(row.state, counted(row.tasks), "" if row.oldest_seconds is None else span(row.oldest_seconds))
    return table


def _lines(standing: "Standing") -> Iterator[tuple[str, str]]:
    ended = standing.ended
    yield "", ""
    yield (
        "Complete",
        f"{counted(ended.complete_last_hour)} in the last hour, {counted(ended.complete_last_day)} in a day",
    )
    yield "Abandoned", counted(ended.abandoned)
    yield "At risk", f"{counted(ended.at_risk)}; see: {outlast('list', '--at-risk')}" if ended.at_risk else "none"


def _lives(lives: "Iterable[LinkLife]") -> Table:
    table = Table("Provider", "Shortest link life", "Usual short one, 24 h", box=None, pad_edge=False)
    for life in lives:
        usual = "" if life.usual_short_seconds is None else span(life.usual_short_seconds)
        table.add_row(Text(printable(life.provider)), span(life.shortest_seconds), usual)
    return table
