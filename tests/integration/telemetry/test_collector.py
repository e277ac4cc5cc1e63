"""Spans reach a collector over OTLP, and a collector that is away hurts nothing."""

import queue
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from shared.telemetry import traces

CANARY = "SECRETMARK7"
FOREIGN = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"


class Collector(ThreadingHTTPServer):
    """A collector that keeps the bodies it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Export)
        self.bodies: queue.Queue[tuple[str, bytes]] = queue.Queue()


class _Export(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.put((self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_ended_spans_arrive_by_the_shutdown(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
    traces.configure("promoter", "otlp")
    with traces.span("promote", FOREIGN, url=f"https://h/{CANARY}", size=3):
        pass
    traces.shutdown()
    path, body = collector.bodies.get(timeout=30)
    assert path == "/v1/traces"
    assert CANARY.encode() not in body
    [resource] = ExportTraceServiceRequest.FromString(body).resource_spans
    names = {item.key: item.value.string_value for item in resource.resource.attributes}
    assert names["service.name"] == "promoter"
    [span] = resource.scope_spans[0].spans
    assert (span.name, span.trace_id.hex(), span.parent_span_id.hex()) == ("promote", "a" * 32, "b" * 16)


def test_a_collector_that_is_away_hurts_nothing_and_does_not_hold_the_end(
    closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    traces.configure("promoter", "otlp")
    began = time.monotonic()
    with traces.span("promote", FOREIGN) as span:
        assert span.traceparent.startswith("00-" + "a" * 32)
    assert time.monotonic() - began < 1
    traces.shutdown()
    assert time.monotonic() - began < 15
