"""Logs: one JSON object per line, from every logger, without a secret (FR-73)."""

import gc
import inspect
import json
import logging
import sys
import threading
import warnings
from datetime import UTC, datetime
from typing import Any

import pika.adapters.blocking_connection
import pytest
import structlog
from structlog.contextvars import bound_contextvars

from shared.errors import Failure
from shared.reasons import Reason
from shared.telemetry import logs, traces
from shared.telemetry.failures import describe

CANARY = "SECRETMARK7"
URL = f"https://user:{CANARY}@cdn.example/{CANARY}/a.mp4?sig={CANARY}#{CANARY}"
log = structlog.get_logger("services.downloader.handler")


def test_a_line_begins_with_the_same_fields_in_the_same_order(log_lines: Any) -> None:
    log.info("staged", size=3, worker="downloader@host:7", reason=Reason.STALLED)
    [line] = log_lines()
    assert list(line) == ["ts", "level", "service", "event", "logger", "size", "worker", "reason"]
    assert abs((datetime.now(UTC) - datetime.fromisoformat(line.pop("ts"))).total_seconds()) < 60
    assert line == {
        "level": "info",
        "service": "downloader",
        "event": "staged",
        "logger": "services.downloader.handler",
        "size": 3,
        "worker": "downloader@host:7",
        "reason": "stalled",
    }


def test_a_caller_cannot_replace_the_fields_of_every_line(log_lines: Any) -> None:
    log.info("staged", ts="never", level="none", service="x", logger="y")
    [line] = log_lines()
    assert line["ts"] != "never"
    assert (line["level"], line["service"], line["logger"]) == ("info", "downloader", "services.downloader.handler")


def test_bound_fields_are_on_the_lines_of_libraries_too(log_lines: Any) -> None:
    with bound_contextvars(task_id="5b1c"):
        log.info("ours")
        logging.getLogger("psycopg").warning("theirs")
    log.info("after")
    assert [line.get("task_id") for line in log_lines()] == ["5b1c", "5b1c", None]


def test_a_line_inside_a_span_has_its_trace_id(log_lines: Any, traces_off: None) -> None:
    with traces.span("transfer", "00-" + "a" * 32 + "-" + "b" * 16 + "-01"):
        log.info("inside")
        logging.getLogger("minio").warning("theirs")
    log.info("outside")
    assert [line.get("trace_id") for line in log_lines()] == ["a" * 32, "a" * 32, None]


def test_lines_of_libraries_are_redacted_at_debug_level(log_lines: Any) -> None:
    pool = logging.getLogger("urllib3.connectionpool")
    pool.debug(
        '%s://%s:%s "%s %s %s" %s %s', "https", "h", 443, "GET", f"/{CANARY}?sig={CANARY}", "HTTP/1.1", 200, None
    )
    logging.getLogger("urllib3.util.retry").debug("Incremented Retry for (url='%s'): %r", f"/{CANARY}", "Retry()")
    logging.getLogger("kombu").debug("connected to amqp://user:%s@h:5672/v", CANARY)
    logging.getLogger("alembic").info("url %s", URL)
    lines = log_lines()
    assert len(lines) == 4
    assert lines[0]["event"] == 'https://h:443 "GET /... HTTP/1.1" 200 None'
    assert CANARY not in json.dumps(lines)


def test_fields_of_ours_are_redacted(log_lines: Any) -> None:
    evidence = {"url": URL, "headers": [("Authorization", f"Bearer {CANARY}")], "nested": {"x-api-key": CANARY}}
    log.warning("refused", error=ValueError(URL), evidence=evidence, body=URL.encode())
    log.warning(f"no answer from {URL}")  # noqa: G004 (a mistake that must not leak)
    assert CANARY not in json.dumps(log_lines())


@pytest.mark.parametrize("reason", list(Reason))
def test_no_failure_shows_its_link_in_a_log(log_lines: Any, reason: Reason) -> None:
    try:
        try:
            raise OSError(f"cannot read {URL}")
        except OSError as cause:
            raise Failure(reason, {"url": URL}) from cause
    except Failure as failure:
        log.exception("transfer_failed", reason=failure.reason, evidence=failure.evidence)
    [line] = log_lines()
    assert CANARY not in json.dumps(line)
    assert line["reason"] == reason
    assert [entry["error"] for entry in line["exception"]] == [
        f"Failure: {reason}",
        "OSError: cannot read https://cdn.example/...",
    ]


def test_an_exception_has_its_frames_but_no_values_and_no_source(log_lines: Any) -> None:
    def fetch(link: str) -> None:
        raise ValueError(f"bad {link}")

    try:
        fetch(URL)
    except ValueError:
        log.exception("broke")
    [line] = log_lines()
    [entry] = line["exception"]
    assert [frame.split()[-1] for frame in entry["stack"]] == [
        "test_an_exception_has_its_frames_but_no_values_and_no_source",
        "fetch",
    ]
    assert all(frame.startswith(f"{__file__}:") for frame in entry["stack"])


def test_an_exception_of_a_library_logger_is_shown_the_same_way(log_lines: Any) -> None:
    try:
        raise ValueError(URL)
    except ValueError:
        logging.getLogger("minio").exception("upload failed")
    [line] = log_lines()
    assert line["exception"][0]["error"] == "ValueError: https://cdn.example/..."
    assert CANARY not in json.dumps(line)


def test_groups_causes_and_cycles_of_exceptions_end(log_lines: Any) -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    log.error("broke", exc_info=ExceptionGroup("several", [first, TypeError("third")]))
    [line] = log_lines()
    assert [entry["error"] for entry in line["exception"]] == [
        "ExceptionGroup: several (2 sub-exceptions)",
        "ValueError: first",
        "TypeError: third",
        "ValueError: second",
    ]


def test_a_description_of_an_exception_is_safe_by_itself() -> None:
    assert describe(ValueError(f"sig={CANARY}")) == [{"error": "ValueError: sig=[hidden]", "stack": []}]


def test_the_body_of_a_returned_message_is_left_out(log_lines: Any) -> None:
    text = inspect.getsource(pika.adapters.blocking_connection)
    assert "body_prefix=%" in text, "pika words its log another way now: look whether bodies are still hidden"
    logger = logging.getLogger("pika.adapters.blocking_connection")
    logger.warning("Published message was returned: channel=1; body_size=%d; body_prefix=%.255r", 9, f"x{CANARY}")
    [line] = log_lines()
    assert line["event"] == "Published message was returned: channel=1; body_size=9; body=[left out]"


def test_uncaught_exceptions_become_lines(log_lines: Any) -> None:
    def break_in_thread() -> None:
        raise ValueError(URL)

    thread = threading.Thread(target=break_in_thread, name="transfer-1")
    thread.start()
    thread.join()
    sys.excepthook(ValueError, ValueError(URL), None)

    class Broken:
        def __del__(self) -> None:
            raise ValueError(URL)

    Broken()
    gc.collect()
    lines = log_lines()
    assert [line["event"] for line in lines] == ["uncaught_in_thread", "uncaught", "uncaught_in_finalizer"]
    assert lines[0]["thread"] == "transfer-1"
    assert CANARY not in json.dumps(lines)


def test_warnings_become_lines(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logs.configure("downloader", "debug", "json")
        warnings.warn(f"old {URL}", DeprecationWarning, stacklevel=1)
    [line] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert line["logger"] == "py.warnings"
    assert CANARY not in json.dumps(line)


def test_a_record_that_cannot_be_logged_shows_none_of_its_arguments(
    logging_put_back: None, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure("downloader", "info", "json")
    logging.getLogger("minio").warning("%d bytes", CANARY)
    assert capsys.readouterr() == ("", "a record of the logger minio could not be logged: TypeError\n")


def test_any_text_stays_on_one_line_of_ascii(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> None:
    for fmt in ("json", "text"):
        logs.configure("downloader", "info", fmt)
        log.info("odd", text="a\nb\r\x1b[31m\u2028", surrogate="\udc80")
        logging.getLogger("x").warning("c\nlevel=critical")
        out = capsys.readouterr().out
        assert len(out.splitlines()) == 2
        assert "\x1b" not in out


def test_text_format_is_key_value(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("verifier", "info", "text")
    log.info("proven", size=3, url=URL)
    out = capsys.readouterr().out
    assert " level='info' service='verifier' event='proven' logger=" in out
    assert out.endswith(" size=3 url='https://cdn.example/...'\n")


def test_levels_hold_for_ours_and_for_libraries(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("downloader", "info", "json")
    log.debug("hidden")
    logging.getLogger("urllib3").debug("hidden")
    logging.getLogger("pika").info("hidden")
    log.info("shown")
    logging.getLogger("pika").warning("shown")
    assert [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()] == ["shown", "shown"]


def test_configuring_again_moves_loggers_that_exist(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("downloader", "info", "json")
    log.info("one")
    logs.configure("verifier", "error", "json")
    log.info("two")
    log.error("three")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["service"], line["event"]) for line in lines] == [("downloader", "one"), ("verifier", "three")]
