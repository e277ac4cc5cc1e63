"""`outlast publish`: hand one output over from a terminal and, if wished, follow it to its end."""

import json
from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console

from deploy.local.spoken import outlast
from outlast.cli.connections import Connections, connections
from outlast.cli.link import link_of
from outlast.cli.outcome import print_outcome
from outlast.cli.waiting import Waiting
from outlast.publish import Producer, output_ready
from shared.errors import UsageError
from shared.messages import Kind, OutputReadyEvent, task_id_of
from shared.states import State

ENDED_WELL, ENDED_BADLY = 0, 1
NOT_NEEDED = "The task was complete before: this event was not needed, its asset is only announced again."
UNCHANGED = "The event changed nothing. Either nobody reads the intake (is ingest running?), or the task needs: "
TIME = "ISO 8601 with a zone, such as 2026-12-01T10:00:00Z"

Url = Annotated[
    str | None,
    typer.Option(
        help="The link; `-` reads it from standard input, as on the command line other users can see it. "
        "Leave it out where the provider's entry can give one."
    ),
]
Account = Annotated[str, typer.Option(help="Who owns the asset.")]
ProviderName = Annotated[str, typer.Option(help="The service that generated it.")]
Job = Annotated[str, typer.Option(help="The provider's id of the job.")]
Output = Annotated[str, typer.Option(help="The provider's id of the output, else its index from 0.")]
ProviderAccount = Annotated[str, typer.Option(help="Whose key talks to the provider.")]
Operation = Annotated[str | None, typer.Option(help="Your stable name of the operation; default: the job.")]
EventId = Annotated[str | None, typer.Option("--id", help="Id of this event; the same id is the same event.")]
ReadyAt = Annotated[str | None, typer.Option(help=f"When the provider finished: {TIME}; default: now.")]
ExpiresAt = Annotated[str | None, typer.Option(help=f"When the link ends, if it does not say so itself: {TIME}.")]
DisplayName = Annotated[str | None, typer.Option(help="A file name for people.")]
PromisedKind = Annotated[Kind | None, typer.Option("--kind", help="Default: whatever the bytes prove to be.")]
Size = Annotated[int | None, typer.Option(help="Bytes.", min=0)]
Digest = Annotated[str | None, typer.Option("--sha256", help="SHA-256 in hexadecimal.")]
Wait = Annotated[bool, typer.Option("--wait", help="Follow the task; end with 0 only if it completes.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait at most.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def publish(
    account: Account,
    provider: ProviderName,
    job: Job,
    url: Url = None,
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
        url=link_of(url),
        url_expires_at=_instant("--expires-at", expires_at),
        ready_at=_instant("--ready-at", ready_at),
        kind=kind,
        operation_id=operation,
        display_name=display_name,
        expected={"size": size, "sha256": sha256.lower() if sha256 else None},
    )
    told = connections()
    if wait:
        raise typer.Exit(_publish_and_follow(event, account, told, timeout, as_json=as_json))
    task_id = _publish(event, account, told)
    typer.echo(json.dumps({"task_id": str(task_id), "event_id": event.id}) if as_json else str(task_id))


def _instant(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise UsageError(f"The value of {option} is no time that Outlast reads. Give {TIME}.")
    return instant


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
        task = Waiting(read, Console(stderr=True), timeout).follow(task_id, before)
    if before is not None and task == before:
        retry = outlast("retry", str(task_id), "--why", "...")
        typer.echo(NOT_NEEDED if before.state == State.COMPLETE else UNCHANGED + retry, err=True)
    print_outcome(Console(), task_id, task, as_json=as_json)
    return ENDED_WELL if task is not None and task.state == State.COMPLETE else ENDED_BADLY
