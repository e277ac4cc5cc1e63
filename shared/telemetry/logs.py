"""Logs: one line per event on stdout, from our loggers and every library's, redacted."""

import logging
import re
import sys
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any

import structlog
from opentelemetry import trace
from structlog.contextvars import merge_contextvars
from structlog.stdlib import ProcessorFormatter

from shared.redaction import redact
from shared.telemetry import uncaught
from shared.telemetry.failures import describe

_Event = MutableMapping[str, Any]
_RENDERERS: dict[str, Any] = {
    "json": structlog.processors.JSONRenderer(),
    "text": structlog.processors.KeyValueRenderer(),
}
_BODY = re.compile(r"\bbody(?:_prefix)?=.*", re.S)


def configure(service: str, level: str, fmt: str) -> None:
    """Send every log of this process to stdout: `fmt` is `json` (an object per line) or `text` (key=value).

    `level` is the least level shown. Standard-library loggers, warnings and uncaught exceptions go the same
    way. Fields bound with `structlog.contextvars.bound_contextvars(task_id=...)` are on every line within.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    processors = [merge_contextvars, _exception, _line(service), _RENDERERS[fmt]]
    handler = _Stdout(sys.stdout)
    handler.setFormatter(ProcessorFormatter(processors=processors))
    logging.basicConfig(handlers=[handler], level=number, force=True)
    # At INFO pika tells of every step of a connection, of which we tell ourselves.
    logging.getLogger("pika").setLevel(number if number <= logging.DEBUG else max(number, logging.WARNING))
    logging.captureWarnings(True)
    structlog.configure(
        processors=[ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        # So that the loggers of modules follow a second call of `configure`.
        cache_logger_on_first_use=False,
    )
    uncaught.log_all()


class _Stdout(logging.StreamHandler[Any]):
    """A handler that, unlike its parent, does not print the arguments of a record that cannot be logged."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the library's name)
        error = sys.exc_info()[0]
        kind = error.__name__ if error else "unknown"
        sys.stderr.write(f"a record of the logger {record.name} could not be logged: {kind}\n")


def _line(service: str) -> Callable[[object, str, _Event], _Event]:
    """The processor that makes the fields of a line: those of every line in front, the others redacted."""

    def line(_logger: object, _method: str, event: _Event) -> _Event:
        record: logging.LogRecord = event.pop("_record")
        if not event.pop("_from_structlog"):
            # pika shows the start of a returned message's body, which may be an intake event.
            event["event"] = _BODY.sub("body=[left out]", event["event"])
        said = redact(event)
        first = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds"),
            "level": record.levelname.lower(),
            "service": service,
            "event": said.pop("event", ""),
            "logger": record.name,
        }
        return {**first, **_trace(), **said, **first}

    return line


def _trace() -> dict[str, str]:
    context = trace.get_current_span().get_span_context()
    return {"trace_id": trace.format_trace_id(context.trace_id)} if context.is_valid else {}


def _exception(_logger: object, _method: str, event: _Event) -> _Event:
    found = event.pop("exc_info", None)
    if found is True:
        found = sys.exc_info()
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = describe(error)
    return event
