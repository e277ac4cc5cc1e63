"""`outlast publish`: hand outputs over from a terminal and, if wished, follow one to its end."""

import json
from typing import Annotated

import typer

from outlast.cli import flags
from outlast.cli.bulk import check_lines, publish_lines
from outlast.cli.connections import connections
from outlast.cli.events import READY, event_from
from outlast.cli.flags import Flags
from outlast.cli.report import Report
from outlast.cli.sending import send, send_and_follow
from shared.errors import UsageError
from shared.messages import EVENTS, MAX_INTAKE_BYTES, IntakeEvent, Rejected, task_id_of
from shared.topology import intake_key

JSON_PANEL = "Events as JSON"

Account = Annotated[str, typer.Option(help="Who owns the asset.")]
File = Annotated[
    typer.FileBinaryRead | None,
    typer.Option(
        metavar="FILE",
        help="One event as JSON, `-` being standard input: a CloudEvents envelope, or the event's data alone.",
        rich_help_panel=JSON_PANEL,
    ),
]
Lines = Annotated[
    typer.FileBinaryRead | None,
    typer.Option(
        metavar="FILE", help="The same with an event on each line, and any number of lines.", rich_help_panel=JSON_PANEL
    ),
]
Type = Annotated[
    str, typer.Option("--type", metavar="TYPE", help="Type of data without an envelope.", rich_help_panel=JSON_PANEL)
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Send nothing of --lines if one is bad; all are read before.", rich_help_panel=JSON_PANEL
    ),
]
Check = Annotated[bool, typer.Option("--check", help="Tell what is wrong, and send nothing.")]
Wait = Annotated[bool, typer.Option("--wait", help="Follow the task; end with 0 only if it completes.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait at most.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON; of --lines an object to a line.")]


def publish(
    account: Account,
    provider: flags.ProviderName = None,
    job: flags.Job = None,
    url: flags.Url = None,
    output: flags.Output = None,
    provider_account: flags.ProviderAccount = None,
    kind: flags.PromisedKind = None,
    operation: flags.Operation = None,
    expires_at: flags.ExpiresAt = None,
    ready_at: flags.ReadyAt = None,
    display_name: flags.DisplayName = None,
    size: flags.Size = None,
    sha256: flags.Digest = None,
    event_id: flags.EventId = None,
    file: File = None,
    lines: Lines = None,
    event_type: Type = READY,
    check: Check = False,
    strict: Strict = False,
    wait: Wait = False,
    timeout: Timeout = 300.0,
    as_json: Json = False,
) -> None:
    """Tell Outlast that an output can be fetched, or what else happened to one.

    \b
    outlast publish --account studio --provider acme --job job-42 --url - --wait
    outlast publish --account studio --file event.json --check
    outlast publish --account studio --lines - < events.jsonl

    Data of --file and --lines without an envelope gets an event id that follows
    from its content: the same line again is the same event, and is taken once;
    the same output with a fresh link is a new event. So an interrupted command
    can be run again. An output by options is a new event each time, unless --id
    says otherwise.

    Of --lines bad lines are told by their number and the others are sent. Ends
    with 0 if all is well, with 1 if a line was bad or a task that was waited for
    did not complete, with 2 if RabbitMQ did not take all.

    Needs OUTLAST_AMQP_URL, and with --wait OUTLAST_DATABASE_URL (each with a
    _PASSWORD_FILE if wished); without them the local stack of this folder is
    used. The fields of every event are in docs/intake.md.
    """
    one = Flags(
        provider,
        job,
        url,
        output,
        provider_account,
        kind,
        operation,
        expires_at,
        ready_at,
        display_name,
        size,
        sha256,
        event_id,
    )
    if event_type not in EVENTS:
        raise UsageError(f"--type is one of {', '.join(EVENTS)}.")
    if lines is not None:
        _refuse_beside_lines(one, file=file is not None, wait=wait)
        raise typer.Exit(_publish_lines(lines, account, event_type, check=check, strict=strict, as_json=as_json))
    if strict:
        raise UsageError("--strict is for --lines.")
    if file is None and event_type != READY:
        raise UsageError("Options describe an outlast.output.ready; events of other types come with --file or --lines.")
    if file is not None:
        one.must_be_absent("--file")
    event = one.event() if file is None else _event_in(file.read(MAX_INTAKE_BYTES + 1), account, event_type)
    key = intake_key(account, event.type)
    if check:
        shown = {"task_id": str(task_id_of(account, event.data)), "event_id": event.id, "routing_key": key}
        typer.echo(json.dumps(shown) if as_json else f"A good event for {key}. Nothing was sent.")
        return
    told = connections()
    if wait:
        raise typer.Exit(send_and_follow(event, account, told, timeout, as_json=as_json))
    task_id = send(event, account, told)
    typer.echo(json.dumps({"task_id": str(task_id), "event_id": event.id}) if as_json else str(task_id))


def _refuse_beside_lines(one: Flags, *, file: bool, wait: bool) -> None:
    one.must_be_absent("--lines")
    if file or wait:
        raise UsageError(f"--lines and {'--file' if file else '--wait'} do not go together.")


def _event_in(body: bytes, account: str, event_type: str) -> IntakeEvent:
    try:
        return event_from(body, account=account, event_type=event_type)
    except Rejected as rejected:
        raise UsageError(f"{rejected.detail} ({rejected.reason}). Nothing was sent.") from None


def _publish_lines(
    lines: typer.FileBinaryRead, account: str, event_type: str, *, check: bool, strict: bool, as_json: bool
) -> int:
    intake_key(account, event_type)  # a wrong account is no matter of lines
    report = Report(as_json=as_json)
    if check:
        return check_lines(lines, account, event_type, report)
    return publish_lines(lines, account, event_type, report, amqp_url=connections().amqp(), strict=strict)
