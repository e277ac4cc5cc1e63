"""One event from a terminal to RabbitMQ and, if wished, its task to its end."""

from uuid import UUID

import typer
from rich.console import Console

from deploy.local.spoken import outlast
from outlast.cli.connections import Connections
from outlast.cli.outcome import print_outcome
from outlast.cli.waiting import Waiting
from outlast.publish import Producer
from shared.messages import IntakeEvent, task_id_of
from shared.states import State

ENDED_WELL, ENDED_BADLY = 0, 1
NOT_NEEDED = "The task was complete before: this event was not needed, its asset is only announced again."
UNCHANGED = "The event changed nothing. Either nobody reads the intake (is ingest running?), or the task needs: "


def send(event: IntakeEvent, account: str, told: Connections) -> UUID:
    """Hand over one event; returns the task id. Raises PublishError."""
    with Producer(told.amqp()) as producer:
        return producer.publish(event, account=account)


def send_and_follow(event: IntakeEvent, account: str, told: Connections, timeout: float, *, as_json: bool) -> int:
    """Hand over one event, tell how its task goes on and what became of it; returns the exit code."""
    task_id = task_id_of(account, event.data)
    with told.reader() as read:
        before = read(task_id)
        send(event, account, told)
        task = Waiting(read, Console(stderr=True), timeout).follow(task_id, before)
    if before is not None and task == before:
        retry = outlast("retry", str(task_id), "--why", "...")
        typer.echo(NOT_NEEDED if before.state == State.COMPLETE else UNCHANGED + retry, err=True)
    print_outcome(Console(), task_id, task, as_json=as_json)
    return ENDED_WELL if task is not None and task.state == State.COMPLETE else ENDED_BADLY
