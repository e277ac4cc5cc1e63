"""Traces: one per capture, carried as a W3C `traceparent` through messages, headers and rows."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from shared.errors import UsageError
from shared.redaction import redact

_W3C = TraceContextTextMapPropagator()


def _silent() -> TracerProvider:
    """A provider whose spans have ids, for logs and rows, and go nowhere."""
    return TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)


class _Tracing:
    """The provider of this process; the library's own global one can be set only once."""

    provider = _silent()


@dataclass(frozen=True)
class Span:
    """A running span."""

    traceparent: str
    """What a message, a header or a row carries so that later spans belong to this one."""
    _span: trace.Span

    def note(self, **attributes: object) -> None:
        """Add what became known meanwhile; None is left out."""
        self._span.set_attributes(_safe(attributes))


def configure(service: str, exporter: str) -> None:
    """Send the spans of this process to `exporter`: `off`, `console` (a JSON line each on stderr) or `otlp`.

    With `off` spans have ids and go nowhere; `otlp` reads the OTEL_EXPORTER_OTLP_* variables.
    Raises UsageError for any other word.
    """
    if exporter not in _PROCESSORS:
        raise UsageError(f"Traces can be {', '.join(_PROCESSORS)}, not {exporter!r}.")
    shutdown()
    resource = Resource.create({"service.namespace": "outlast", "service.name": service})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    if processor := _PROCESSORS[exporter]():
        provider.add_span_processor(processor)
    _Tracing.provider = provider


def shutdown() -> None:
    """Send what is still waiting, within the exporter's own time limit; later spans go nowhere."""
    ended, _Tracing.provider = _Tracing.provider, _silent()
    ended.shutdown()


@contextmanager
def span(name: str, traceparent: str | None = None, **attributes: object) -> Iterator[Span]:
    """A span around the block, under `traceparent`, or with None under the running span of this thread.

    A broken `traceparent` begins a new trace. Attributes and the text of an exception are redacted.
    """
    with _Tracing.provider.get_tracer("outlast").start_as_current_span(
        name,
        context=None if traceparent is None else _context(traceparent),
        attributes=_safe(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as running:
        try:
            yield Span(_traceparent(running) or new_traceparent(), running)
        except Exception as error:
            _note_error(running, error)
            raise


def current_traceparent() -> str | None:
    """The `traceparent` of the running span of this thread, if there is one."""
    return _traceparent(trace.get_current_span())


def new_traceparent() -> str:
    """The `traceparent` of a new trace."""
    ids = RandomIdGenerator()
    return f"00-{ids.generate_trace_id():032x}-{ids.generate_span_id():016x}-01"


def _traceparent(running: trace.Span) -> str | None:
    carrier: dict[str, str] = {}
    _W3C.inject(carrier, trace.set_span_in_context(running))
    return carrier.get("traceparent")


def _context(traceparent: object) -> Context:
    # Headers of foreign messages may hold anything.
    return _W3C.extract({"traceparent": traceparent}) if isinstance(traceparent, str) else Context()


def _safe(attributes: Mapping[str, object]) -> dict[str, str | bool | int | float]:
    shown = redact(attributes)
    return {name: _plain(value) for name, value in shown.items() if value is not None}


def _plain(value: object) -> str | bool | int | float:
    return value if isinstance(value, str | bool | int | float) else json.dumps(value)


def _note_error(running: trace.Span, error: Exception) -> None:
    text = redact(error)
    running.add_event("exception", {"exception.type": type(error).__name__, "exception.message": text})
    running.set_status(trace.StatusCode.ERROR, text)


def _line(finished: ReadableSpan) -> str:
    text: str = finished.to_json(indent=None)
    return f"{text}\n"


def _to_console() -> SpanProcessor:
    # Standard output belongs to the logs.
    return SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr, formatter=_line))


def _to_collector() -> SpanProcessor:
    # Not at the top: its HTTP client is memory that a process without a collector should not pay for.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return BatchSpanProcessor(OTLPSpanExporter())


_PROCESSORS = {"off": lambda: None, "console": _to_console, "otlp": _to_collector}
