"""Traces: one per capture, through rows, messages and threads (FR-72), without a secret (FR-73)."""

import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.telemetry import traces

CANARY = "SECRETMARK7"
URL = f"https://user:{CANARY}@cdn.example/{CANARY}/a.mp4?sig={CANARY}#{CANARY}"
FOREIGN = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
FORM = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
Spans = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def spans() -> Iterator[Spans]:
    """The spans that ended so far."""
    written = io.StringIO()
    with redirect_stderr(written):
        traces.configure("downloader", "console")
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    traces.shutdown()


def trace_of(traceparent: str) -> str:
    assert FORM.fullmatch(traceparent)
    return traceparent.split("-")[1]


def test_one_trace_goes_through_row_message_thread_and_redelivery(spans: Spans) -> None:
    with traces.span("intake", FOREIGN) as intake:
        row = intake.traceparent
        with traces.span("accept") as accept:
            hint = {"traceparent": traces.current_traceparent()}
    assert hint["traceparent"] == accept.traceparent

    def deliver() -> None:
        with traces.span("download", row), traces.span("upload"):
            pass

    with ThreadPoolExecutor(1) as worker:
        worker.submit(deliver).result()
        worker.submit(deliver).result()
    found = spans()
    assert {span["context"]["trace_id"] for span in found} == {"0x" + "a" * 32}
    by_id = {span["context"]["span_id"]: span["name"] for span in found}
    parents = sorted((span["name"], by_id.get(span["parent_id"], "(foreign)")) for span in found)
    assert parents == [
        ("accept", "intake"),
        ("download", "intake"),
        ("download", "intake"),
        ("intake", "(foreign)"),
        ("upload", "download"),
        ("upload", "download"),
    ]


def test_a_thread_does_not_inherit_the_span_of_another(traces_off: None) -> None:
    seen: list[str | None] = []
    with traces.span("outer"):
        thread = threading.Thread(target=lambda: seen.append(traces.current_traceparent()))
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "x",
        "00-" + "0" * 32 + "-" + "b" * 16 + "-01",
        "00-" + "a" * 32 + "-" + "0" * 16 + "-01",
        "ff-" + "a" * 32 + "-" + "b" * 16 + "-01",
        "00-" + "A" * 32 + "-" + "b" * 16 + "-01",
        FOREIGN + "-more",
        FOREIGN * 1000,
        URL,
        FOREIGN.encode(),
        7,
        ["x"],
    ],
)
def test_a_broken_traceparent_begins_a_new_trace(traces_off: None, broken: Any) -> None:
    with traces.span("outer") as outer, traces.span("inner", broken) as inner:
        assert trace_of(inner.traceparent) not in {trace_of(outer.traceparent), "a" * 32, "0" * 32}


@given(st.text())
def test_no_text_as_traceparent_hurts(text: str) -> None:
    with traces.span("x", text) as span:
        assert FORM.fullmatch(span.traceparent)


def test_off_exports_nothing_but_ids_exist(traces_off: None, capsys: pytest.CaptureFixture[str]) -> None:
    with traces.span("transfer", FOREIGN) as span:
        assert trace_of(span.traceparent) == "a" * 32
        assert traces.current_traceparent() == span.traceparent
    assert traces.current_traceparent() is None
    assert capsys.readouterr() == ("", "")


def test_ids_exist_before_configure_and_after_shutdown() -> None:
    traces.shutdown()
    with traces.span("a") as first, traces.span("b") as second:
        assert trace_of(first.traceparent) == trace_of(second.traceparent)


def test_a_producer_that_samples_nothing_still_gives_the_trace_id(spans: Spans) -> None:
    with traces.span("transfer", FOREIGN[:-2] + "00") as span:
        assert trace_of(span.traceparent) == "a" * 32
        assert span.traceparent.endswith("-00")
    assert spans() == []


def test_new_traceparents_differ_and_are_well_formed() -> None:
    made = {traces.new_traceparent() for _ in range(100)}
    assert len(made) == 100
    assert all(FORM.fullmatch(text) for text in made)


@pytest.mark.parametrize("reason", list(Reason))
def test_no_failure_shows_its_link_in_a_span(spans: Spans, reason: Reason) -> None:
    def transfer() -> None:
        with traces.span("transfer", FOREIGN, url=URL, headers={"x-api-key": CANARY}) as span:
            span.note(final=URL, token=CANARY, error=ValueError(URL))
            try:
                raise OSError(URL)
            except OSError as cause:
                raise Failure(reason, {"url": URL}) from cause

    with pytest.raises(Failure):
        transfer()
    [found] = spans()
    assert CANARY not in json.dumps(found)
    assert found["status"] == {"status_code": "ERROR", "description": f"Failure: {reason}"}


def test_the_text_of_an_exception_is_redacted_in_its_event(spans: Spans) -> None:
    with pytest.raises(ValueError), traces.span("transfer"):
        raise ValueError(URL)
    [found] = spans()
    [event] = found["events"]
    assert event["attributes"] == {
        "exception.type": "ValueError",
        "exception.message": "ValueError: https://cdn.example/...",
    }


def test_attributes_keep_numbers_and_leave_none_out(spans: Spans) -> None:
    with traces.span(
        "transfer", size=3, ratio=0.5, resumed=True, host="cdn.example", gone=None, hops=["a", "b"]
    ) as span:
        span.note(status=200, nothing=None)
    [found] = spans()
    assert found["attributes"] == {
        "size": 3,
        "ratio": 0.5,
        "resumed": True,
        "host": "cdn.example",
        "hops": '["a", "b"]',
        "status": 200,
    }
    assert found["resource"]["attributes"]["service.name"] == "downloader"


def test_another_exporter_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="off, console, otlp"):
        traces.configure("downloader", "zipkin")
