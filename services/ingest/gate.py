"""A gate that many pass together, or one alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Gate:
    """Readers share it; a suspect passes only while nobody else is inside."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Pass together with others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._inside += 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Pass with nobody else inside."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._alone = True
            self._changed.wait_for(lambda: self._inside == 0)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
            self._leave()

    def _leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
