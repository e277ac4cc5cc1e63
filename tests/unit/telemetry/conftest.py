"""Fixtures that give a test the process-wide parts of telemetry and put them back."""

import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog

from shared.telemetry import logs, traces

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logging_put_back() -> Iterator[None]:
    root, pika = logging.getLogger(), logging.getLogger("pika")
    handlers, levels = root.handlers[:], (root.level, pika.level)
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning)
    # `configure` closes the handlers it replaces, and these are pytest's.
    root.handlers.clear()
    yield
    logging.captureWarnings(False)
    structlog.reset_defaults()
    sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning = hooks
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    pika.setLevel(levels[1])


@pytest.fixture
def log_lines(logging_put_back: None, capsys: pytest.CaptureFixture[str]) -> Lines:
    """JSON logs at debug level; the value returns the lines written since it was last called."""
    logs.configure("downloader", "debug", "json")
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def traces_off() -> Iterator[None]:
    traces.configure("downloader", "off")
    yield
    traces.shutdown()
