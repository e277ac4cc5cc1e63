"""Ears on every log line of this process, at any level and of any library."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.faults.canary import tells


class _Ears(logging.Handler):
    def __init__(self) -> None:
        super().__init__(level=0)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if tells(text):
            self.heard.append(text)


@contextmanager
def listening() -> Iterator[list[str]]:
    """Gives the list of the lines that told the canary during the block."""
    ears, root = _Ears(), logging.getLogger()
    level = root.level
    root.addHandler(ears)
    root.setLevel(0)
    try:
        yield ears.heard
    finally:
        root.setLevel(level)
        root.removeHandler(ears)


@pytest.fixture(autouse=True)
def nothing_is_logged() -> Iterator[None]:
    """No log line of any library, at any level, tells the canary."""
    with listening() as heard:
        yield
    assert heard == []
