"""`outlast doctor`: how the store behaves and how the stack stands, in words."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlast.cli.printable import printable
from outlast.cli.surroundings import scene_of
from shared.errors import UsageError

if TYPE_CHECKING:  # needs packages that a producer does not have
    from outlast.custody.doctor.finding import Check, Finding
    from outlast.custody.doctor.scene import Scene

COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "bold red"}
WIDE = 120

Only = Annotated[list[str] | None, typer.Option(help="Look at this check or group alone; give it once for each.")]
Role = Annotated[
    list[str] | None,
    typer.Option(help="Also try the store under a role's key: NAME=ACCESS_KEY:SECRET_FILE; once for each."),
]
Service = Annotated[
    list[str] | None, typer.Option(help="Also ask a service for its health: NAME=URL, without /readyz; once for each.")
]
Trigger = Annotated[
    bool, typer.Option("--trigger", help="Also capture three small files, each told twice; their assets stay.")
]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per check, one to a line.")]


def doctor(
    only: Only = None,
    role: Role = None,
    service: Service = None,
    trigger: Trigger = False,
    as_json: Json = False,
) -> None:
    """Look at how the object store behaves and how the stack stands, and say what it means.

    \b
    outlast doctor
    outlast doctor --only multipart --only copy-condition --json
    outlast doctor --role promoter=PROMOTER:/run/secrets/promoter \\
                   --service ingest=http://127.0.0.1:8080
    outlast doctor --only broker --trigger

    Writes and deletes small objects under .outlast-doctor/ in every bucket. Ends
    with 1 if any check is an error; warnings and notes do not count. What is not
    told is not looked at.

    With --trigger three text files go the whole way to assets, of the account
    outlast-doctor, and objects of assets and output are told of in vain.

    Reads the variables of the services: OUTLAST_S3_ENDPOINT with a key that may do
    everything in the buckets, OUTLAST_*_BUCKET, OUTLAST_DATABASE_URL of any role,
    OUTLAST_AMQP_URL and OUTLAST_KEYRING_FILE. Without any address the local stack
    of this folder is looked at.
    """
    scene = scene_of(role or [], service or [])
    try:
        from outlast.custody.doctor.order import examined
    except ImportError as error:
        raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error
    seen = chain(examined(scene, only or ()), _tried(scene) if trigger else ())
    levels = list(_lines(seen) if as_json else _table(seen))
    raise typer.Exit(1 if "error" in levels else 0)


def _tried(scene: "Scene") -> "Iterator[tuple[Check, Finding]]":
    from outlast.cli.triggering import tried
    from outlast.custody.doctor.triggered import judged

    yield from judged(tried(scene))


def _lines(seen: "Iterable[tuple[Check, Finding]]") -> Iterator[str]:
    """Print an object for each, and tell its level."""
    for check, finding in seen:
        told = {"check": check.name, "group": check.group, "level": finding.level}
        typer.echo(json.dumps({**told, "seen": finding.seen, "meaning": finding.meaning}, ensure_ascii=False))
        yield finding.level


def _table(seen: "Iterable[tuple[Check, Finding]]") -> Iterator[str]:
    """Print a table of all, in their groups, and tell the level of each."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("Check", "", "Seen, and what it means"):
        table.add_column(name, no_wrap=name != "Seen, and what it means")
    group = ""
    for check, finding in seen:
        if check.group != group:
            group = check.group
            table.add_section()
            table.add_row(Text(group, style="bold"), "", "")
        words = Text(f"{printable(finding.seen)} {printable(finding.meaning)}")
        table.add_row(f"  {check.name}", Text(finding.level, style=COLOURS[finding.level]), words)
        yield finding.level
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    console.print(table)
