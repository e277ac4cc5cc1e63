"""`outlast submit`: hand over files that are already here."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from outlast.cli.connections import Connections, connections
from outlast.cli.outcome import print_outcome
from outlast.cli.printable import printable
from outlast.cli.waiting import Waiting
from outlast.publish import Producer
from outlast.submit import Input, created, put_file
from shared.errors import UsageError
from shared.messages import IntakeEvent, Kind, ObjectCreatedEvent, task_id_of
from shared.states import State
from shared.topology import intake_key

ENDED_WELL, ENDED_BADLY = 0, 1
EVENT = "outlast.object.created"

Files = Annotated[list[Path], typer.Argument(help="Files of any kind that Outlast captures.")]
Account = Annotated[str, typer.Option(help="Who owns the assets.")]
PromisedKind = Annotated[
    Kind | None,
    typer.Option(
        "--kind", help="Default: whatever the bytes prove to be; text and other are only taken when they are named."
    ),
]
Operation = Annotated[str | None, typer.Option(help="Your stable name of the operation; default: the file's name.")]
DisplayName = Annotated[str | None, typer.Option(help="A file name for people; default: the file's own.")]
ProcessorVersion = Annotated[
    str | None, typer.Option(help="Name and version of what made the files, for example upscale/2.")
]
DerivedFrom = Annotated[
    list[UUID] | None, typer.Option(help="Task id of an asset that they were made from; give it once for each.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Follow the tasks; end with 0 only if all complete.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait for each at most.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object per file, one to a line.")]


def submit(
    files: Files,
    account: Account,
    kind: PromisedKind = None,
    operation: Operation = None,
    display_name: DisplayName = None,
    processor_version: ProcessorVersion = None,
    derived_from: DerivedFrom = None,
    wait: Wait = False,
    timeout: Timeout = 300.0,
    as_json: Json = False,
) -> None:
    """Put files into the input bucket and tell Outlast, which proves and keeps them.

    \b
    outlast submit --account studio clip.mp4 --wait
    outlast submit --account studio --kind image --json shots/*.png

    The same file again is the same object and the same event, and makes no
    second asset. A file that cannot be read is told, and the others go on;
    then the command ends with 1.

    Needs OUTLAST_AMQP_URL, OUTLAST_S3_ENDPOINT with its key, and with --wait
    OUTLAST_DATABASE_URL; without them the local stack of this folder is used.
    Bucket and prefix are OUTLAST_INPUT_BUCKET and OUTLAST_INPUT_PREFIX, as the
    services have them.
    """
    told = connections()
    place, amqp_url = told.input(), told.amqp()
    intake_key(account, EVENT)  # a wrong account is no matter of one file
    described = {
        "kind": kind,
        "operation_id": operation,
        "display_name": display_name,
        "processor_version": processor_version,
        "derived_from": tuple(derived_from) if derived_from else None,
    }
    tasks, good = [], True
    with Producer(amqp_url) as producer:
        for file in files:
            try:
                event = _submit(place, producer, account, file, described)
            except UsageError as error:
                good = False
                _tell_fault(file, error, as_json=as_json)
            else:
                tasks.append(task_id_of(account, event.data))
                _tell(file, event, tasks[-1], as_json=as_json)
    complete = _follow(told, tasks, timeout, as_json=as_json) if wait else True
    raise typer.Exit(ENDED_WELL if good and complete else ENDED_BADLY)


def _submit(place: Input, producer: Producer, account: str, file: Path, described: dict[str, Any]) -> IntakeEvent:
    with _progress(file) as advance:
        found = put_file(place, account, file, advance)
    event = created(found, account=account, name=file.name, **described)
    producer.publish(event, account=account)
    return event


@contextmanager
def _progress(file: Path) -> Iterator[Any]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    size = file.stat().st_size if file.is_file() else None
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False
    ) as bars:
        bar = bars.add_task(printable(file.name), total=size)
        yield lambda count: bars.advance(bar, count)


def _tell(file: Path, event: IntakeEvent, task_id: UUID, *, as_json: bool) -> None:
    if not isinstance(event, ObjectCreatedEvent):
        raise AssertionError("this is what was made")
    if as_json:
        found = event.data.object.model_dump(mode="json")
        typer.echo(json.dumps({"file": str(file), "task_id": str(task_id), "event_id": event.id, "object": found}))
    else:
        typer.echo(f"{task_id}  {printable(str(file))}")


def _tell_fault(file: Path, error: UsageError, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"file": str(file), "error": str(error)}))
    else:
        typer.echo(f"outlast: {error}", err=True)


def _follow(told: Connections, tasks: list[UUID], timeout: float, *, as_json: bool) -> bool:
    """Whether all completed."""
    complete = True
    with told.reader() as read:
        for task_id in tasks:
            task = Waiting(read, Console(stderr=True), timeout).follow(task_id, read(task_id))
            if not as_json:
                typer.echo()
            print_outcome(Console(), task_id, task, as_json=as_json)
            complete = complete and task is not None and task.state == State.COMPLETE
    return complete
