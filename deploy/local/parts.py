"""What every server and service of the stack is to its starter, and the wait for all of them."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from deploy.local.process import Process, StartError

LOOK_SECONDS = 0.1


class Part(Protocol):
    """A server or service of the stack."""

    @property
    def process(self) -> Process:
        """Its process."""

    def start(self, *, detach: bool) -> None:
        """Start it without waiting."""

    def missing(self) -> str:
        """What it still lacks to do its work; empty when it is ready."""

    def address(self) -> str:
        """Where it is reached, without any credential."""


OnReady = Callable[[Part, float], None]
"""Called with each part that is ready and the seconds it took."""


def bring_up(parts: Sequence[Part], on_ready: OnReady | None, *, detach: bool, seconds: float) -> None:
    """Start those parts that do not run, all at once, and wait for all; report each that gets ready.

    Raises StartError when one ends or is not ready in time.
    """
    began = time.monotonic()
    for part in parts:
        if not part.process.alive():
            part.start(detach=detach)
    waiting = list(parts)
    while waiting:
        for part in _ready(waiting):
            waiting.remove(part)
            if on_ready is not None:
                on_ready(part, time.monotonic() - began)
        if waiting and time.monotonic() - began > seconds:
            late = waiting[0]
            raise StartError(_failure(late, f"is not ready after {seconds:.0f} s ({late.missing()})"))
        time.sleep(LOOK_SECONDS if waiting else 0)


def _ready(parts: Sequence[Part]) -> list[Part]:
    """Those that are ready; a dead one is an error, as a stranger may answer on the port it did not get."""
    for part in parts:
        if not part.process.alive():
            raise StartError(_failure(part, "ended while it started"))
    return [part for part in parts if not part.missing()]


def _failure(part: Part, what: str) -> str:
    process = part.process
    return f"{process.name} {what}. The end of {process.log}:\n{process.log_tail()}"
