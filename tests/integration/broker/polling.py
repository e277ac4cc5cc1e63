"""Waiting for what another thread or the broker will do."""

import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Return as soon as the condition holds; fail when it does not within the time."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, f"did not become true within {seconds:g} s"
        time.sleep(0.01)
