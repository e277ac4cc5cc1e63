"""Ctrl-C, held back where a library would turn it into an error of its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let some work end before a Ctrl-C is told; for moments only.

    pydantic makes a PydanticSerializationError of a KeyboardInterrupt inside of it. Where somebody else handles the
    signal, or this is not the main thread, nothing changes.
    """
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    asked: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if asked:
            raise KeyboardInterrupt
