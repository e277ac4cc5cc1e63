"""The messages that wait for the publisher's thread: sends first, hints bounded with the oldest given up."""

from collections import deque
from threading import Condition

from shared.broker.letter import Letter


class Outbox:
    """A thread-safe pair of queues; the only state that callers and the publisher's thread share."""

    def __init__(self, most_hints: int) -> None:
        self._changed = Condition()
        self._sends: deque[Letter] = deque()
        self._hints: deque[Letter] = deque()
        self._most_hints = most_hints
        self._closed = False

    def add(self, letter: Letter) -> Letter | None:
        """Take a letter; returns the one that found no room: the oldest hint, or this one after `close`."""
        with self._changed:
            if self._closed:
                return letter
            self._changed.notify()
            if not letter.is_hint:
                self._sends.append(letter)
                return None
            self._hints.append(letter)
            return self._hints.popleft() if len(self._hints) > self._most_hints else None

    def take(self, timeout: float) -> Letter | None:
        """The next letter, or None after `timeout` seconds; at once when closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._sends or self._hints or self._closed, timeout)
            queue = self._sends or self._hints
            return queue.popleft() if queue else None

    def give_back(self, letter: Letter) -> bool:
        """Put a letter that was taken back in front; False if there is no room, or nobody waits any more."""
        with self._changed:
            if letter.overdue or (letter.is_hint and len(self._hints) >= self._most_hints):
                return False
            (self._hints if letter.is_hint else self._sends).appendleft(letter)
            return True

    def withdraw(self, letter: Letter) -> None:
        """Forget a send that nobody waits for any more, if it is still here."""
        with self._changed:
            if letter in self._sends:
                self._sends.remove(letter)

    def close(self) -> None:
        """Take no more letters; those inside can still be taken out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def drain(self) -> list[Letter]:
        """Everything inside, which is then empty."""
        with self._changed:
            letters = [*self._sends, *self._hints]
            self._sends.clear()
            self._hints.clear()
            return letters
