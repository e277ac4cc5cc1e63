"""Fixtures that give a test the process-wide parts of telemetry and put them back."""

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import pytest
import structlog

from shared.telemetry import logs, traces

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logging_put_back() -> Iterator[None]:
    root, pika = logging.getLogger(), logging.getLogger("pika")
    levels = root.level, pika.level
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning)
    yield
    logging.captureWarnings(False)
    structlog.reset_defaults()
    sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning = hooks
    for handler in root.handlers[:]:
        if type(handler).__module__ == logs.__name__:
            root.removeHandler(handler)
    root.setLevel(levels[0])
    pika.setLevel(levels[1])


@pytest.fixture
def log_lines(logging_put_back: None) -> Lines:
    """JSON logs at debug level; the value returns all lines so far."""
    written = io.StringIO()
    # pytest changes sys.stdout between a fixture and its test.
    with redirect_stdout(written):
        logs.configure("downloader", "debug", "json")
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.fixture
def traces_off() -> Iterator[None]:
    traces.configure("downloader", "off")
    yield
    traces.shutdown()
