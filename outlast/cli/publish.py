"""`outlast publish`: hand one output over from a terminal and, if wished, follow it to its end."""

import json
import sys
import time
from getpass import getpass
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.console import Console

from outlast.cli.connections import Connections, connections
from outlast.cli.outcome import print_outcome
from outlast.following import Read, Unsettled, follow
from outlast.publish import Producer, output_ready
from shared.errors import UsageError
from shared.messages import Kind, OutputReadyEvent, task_id_of
from shared.states import State

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.views import PublicTask

ENDED_WELL, ENDED_BADLY = 0, 1

Url = Annotated[
    str,
    typer.Option(help="The link; `-` reads it from standard input. On the command line other users can see it."),
]
Account = Annotated[str, typer.Option(help="Who owns the asset.")]
ProviderName = Annotated[str, typer.Option(help="The service that generated it.")]
Job = Annotated[str, typer.Option(help="The provider's id of the job.")]
Output = Annotated[str, typer.Option(help="The provider's id of the output, else its index from 0.")]
ProviderAccount = Annotated[str, typer.Option(help="Whose key talks to the provider.")]
Operation = Annotated[str | None, typer.Option(help="Your stable name of the operation; default: the job.")]
EventId = Annotated[str | None, typer.Option("--id", help="Id of this event; the same id is the same event.")]
ReadyAt = Annotated[str | None, typer.Option(help="When the provider finished (ISO 8601 with zone); default: now.")]
ExpiresAt = Annotated[str | None, typer.Option(help="When the link ends, if it does not say so itself.")]
DisplayName = Annotated[str | None, typer.Option(help="A file name for people.")]
PromisedKind = Annotated[Kind | None, typer.Option("--kind", help="Default: whatever the bytes prove to be.")]
Size = Annotated[int | None, typer.Option(help="Bytes.", min=0)]
Digest = Annotated[str | None, typer.Option("--sha256", help="SHA-256 in hexadecimal.")]
Wait = Annotated[bool, typer.Option("--wait", help="Follow the task; end with 0 only if it completes.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait at most.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def publish(
    url: Url,
    account: Account,
    provider: ProviderName,
    job: Job,
    output: Output = "0",
    provider_account: ProviderAccount = "default",
    kind: PromisedKind = None,
    operation: Operation = None,
    expires_at: ExpiresAt = None,
    ready_at: ReadyAt = None,
    display_name: DisplayName = None,
    size: Size = None,
    sha256: Digest = None,
    event_id: EventId = None,
    wait: Wait = False,
    timeout: Timeout = 300.0,
    as_json: Json = False,
) -> None:
    """Tell Outlast that an output can be fetched.

    Needs OUTLAST_AMQP_URL, and with --wait OUTLAST_DATABASE_URL (each with a _PASSWORD_FILE if wished);
    without them the local stack of this folder is used.
    """
    event = output_ready(
        event_id=event_id,
        source="outlast.cli",
        provider=provider,
        provider_account=provider_account,
        job_id=job,
        output_id=output,
        url=_link(url),
        url_expires_at=expires_at,
        ready_at=ready_at,
        kind=kind,
        operation_id=operation,
        display_name=display_name,
        expected={"size": size, "sha256": sha256},
    )
    told = connections()
    if wait:
        raise typer.Exit(_publish_and_follow(event, account, told, timeout, as_json=as_json))
    task_id = _publish(event, account, told)
    typer.echo(json.dumps({"task_id": str(task_id), "event_id": event.id}) if as_json else str(task_id))


def _link(url: str) -> str:
    if url != "-":
        return url
    link = getpass("Link (it is not shown): ") if sys.stdin.isatty() else sys.stdin.readline()
    if not link.strip():
        raise UsageError("No link came on standard input.")
    return link.strip()


def _publish(event: OutputReadyEvent, account: str, told: Connections) -> UUID:
    with Producer(told.amqp()) as producer:
        return producer.publish(event, account=account)


def _publish_and_follow(
    event: OutputReadyEvent, account: str, told: Connections, timeout: float, *, as_json: bool
) -> int:
    task_id = task_id_of(account, event.data)
    with told.reader() as read:
        before = read(task_id)
        _publish(event, account, told)
        task = _follow_one(read, task_id, before, timeout)
    print_outcome(Console(), task_id, task, as_json=as_json)
    return ENDED_WELL if task is not None and task.state == State.COMPLETE else ENDED_BADLY


def _follow_one(read: Read, task_id: UUID, before: "PublicTask | None", timeout: float) -> "PublicTask | None":
    ends, task = time.monotonic() + timeout, before
    looks = follow(
        read,
        [task_id],
        give_up=lambda: time.monotonic() >= ends,
        before={task_id: before} if before else None,
    )
    with Console(stderr=True).status("published") as status:
        try:
            for task in looks:
                status.update(task.state)
        except Unsettled:
            typer.echo(f"Nothing more was waited for after {timeout:g} s; the task goes on by itself.", err=True)
    return task
