"""`outlast publish --lines`: one event from each line."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import BinaryIO
from uuid import UUID

import typer

from outlast.batch import Batch
from outlast.cli.events import event_from
from outlast.cli.lines import numbered
from outlast.cli.report import Report
from outlast.interrupts import uninterrupted
from outlast.publish import PublishError
from shared.messages import IntakeEvent, Rejected

ENDED_WELL, SOME_BAD, NOT_ALL_SENT, INTERRUPTED = 0, 1, 2, 130
AGAIN = "Run the same command again, as no event is taken twice"

Numbered = tuple[int, IntakeEvent]


def check_lines(stream: BinaryIO, account: str, event_type: str, report: Report) -> int:
    """Tell which lines are no events; returns the exit code."""
    with report.shown(stream):
        for _ in _events(stream, account, event_type, report):
            pass
    report.close(f"{report.good:,} lines are good, {report.bad:,} bad. Nothing was sent.")
    return SOME_BAD if report.bad else ENDED_WELL


def publish_lines(
    stream: BinaryIO, account: str, event_type: str, report: Report, *, amqp_url: str, strict: bool
) -> int:
    """Publish the events of all lines, or with `strict` none if one is bad; returns the exit code."""
    events: Iterable[Numbered] = _events(stream, account, event_type, report)
    code, words = ENDED_WELL, "All lines read"
    try:
        with report.shown(stream):
            if strict:
                events = list(events)
            if strict and report.bad:
                words = "Nothing was sent, as a line is bad"
            else:
                _send(events, account, amqp_url, report)
        code = SOME_BAD if report.bad else ENDED_WELL
    except KeyboardInterrupt:
        code, words = INTERRUPTED, f"Interrupted. {AGAIN}"
    except PublishError as error:
        typer.echo(f"outlast: {error}", err=True)
        code, words = NOT_ALL_SENT, f"Stopped. {AGAIN}"
    report.close(f"{words}: {report.counts()}.")
    return code


def _send(events: Iterable[Numbered], account: str, amqp_url: str, report: Report) -> None:
    with Batch(amqp_url, account=account) as batch:
        for number, event in events:
            batch.send(event).add_done_callback(partial(_tell, report, number, event))


def _tell(report: Report, number: int, event: IntakeEvent, sent: "Future[UUID]") -> None:
    """Tell of an event as soon as it is safe: whoever writes the lines may wait for the answer to each."""
    if not sent.cancelled() and sent.exception() is None:
        report.confirm(number, event, sent.result())


def _events(stream: BinaryIO, account: str, event_type: str, report: Report) -> Iterator[Numbered]:
    """The good lines; the bad ones are told."""
    for number, line in numbered(stream):
        report.read(line)
        try:
            with uninterrupted():
                event = event_from(line, account=account, event_type=event_type)
        except Rejected as rejected:
            report.refuse(number, rejected)
        else:
            report.good += 1
            yield number, event
