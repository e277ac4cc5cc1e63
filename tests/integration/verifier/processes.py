"""Looking at the processes of a probe from outside."""

import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int) -> list[int]:
    """The children of a process that still run."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs(pid: int) -> bool:
    """Whether a process still runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition; fail after 20 seconds."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        time.sleep(0.01)
