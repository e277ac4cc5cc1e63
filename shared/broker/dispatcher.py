"""The publisher's thread: it owns the connection, renews it, and carries letters to the broker."""

import time
from threading import Event, Thread
from typing import Literal

import structlog
from amqp.exceptions import ChannelError

from shared.broker.address import Address
from shared.broker.backoff import delay
from shared.broker.letter import Letter
from shared.broker.link import Link, Nacked
from shared.broker.outbox import Outbox
from shared.errors import Evidence

log = structlog.get_logger(__name__)

MOST_TRIES = 3
TICK_SECONDS = 1.0
MOST_DELAY_SECONDS = 2.0
FLUSH_SECONDS = 2.0


class Dispatcher(Thread):
    """Publishes letter by letter, for ever; any doubt about an answer costs the connection."""

    def __init__(self, address: Address, outbox: Outbox) -> None:
        super().__init__(name="publisher", daemon=True)
        self._address = address
        self._outbox = outbox
        self._stopping = Event()
        self._link: Link | None = None
        self._failures = 0
        self._trouble: str | None = None

    @property
    def state(self) -> Literal["connected", "blocked", "not_connected"]:
        """How the connection is now."""
        link = self._link
        if link is None:
            return "not_connected"
        return "blocked" if link.blocked else "connected"

    def why_late(self, letter: Letter) -> Evidence:
        """Why a letter got no answer in its time."""
        state = self.state
        if state == "blocked":
            return {"why": state}
        if state == "connected" or letter.tries:
            return {"why": "no_confirm"}
        return {"why": state, "error": self._trouble}

    def stop(self) -> None:
        """Ask the thread to send what waits, if it can, and end."""
        self._stopping.set()

    def run(self) -> None:
        """The thread's life."""
        while not self._stopping.is_set():
            self._step()
        self._flush()
        self._hang_up()

    def _step(self) -> None:
        link = self._link
        if link is None:
            if not (self._failures and self._stopping.wait(delay(self._failures, MOST_DELAY_SECONDS))):
                self._connect()
        elif link.blocked:
            # A new connection would be blocked as well, and the broker would keep the dead old one.
            self._stopping.wait(TICK_SECONDS)
            self._tick(link)
        elif link.stale:
            self._drop(None)
        elif letter := self._outbox.take(TICK_SECONDS):
            self._deliver(link, letter)
        else:
            self._tick(link)

    def _flush(self) -> None:
        limit = time.monotonic() + FLUSH_SECONDS
        while (link := self._link) and not (link.blocked or link.stale) and time.monotonic() < limit:
            letter = self._outbox.take(0)
            if letter is None:
                return
            self._deliver(link, letter)

    def _connect(self) -> None:
        try:
            self._link = Link(self._address)
        except Exception as error:  # noqa: BLE001 (py-amqp raises AttributeError and others for a lost connection)
            self._drop(error)
        else:
            log.info("publisher_connected")
            self._trouble = None

    def _deliver(self, link: Link, letter: Letter) -> None:
        if letter.overdue:
            return
        letter.tries += 1
        try:
            sent = link.publish(letter)
        except Nacked:
            letter.finish("failed", {"why": "rejected"})
        except ChannelError as error:
            self._drop(error)
            letter.finish("failed", {"why": "refused", "code": error.reply_code})
        except Exception as error:  # noqa: BLE001 (as in _connect; the outcome is unknown, whatever it is)
            self._interrupted(link, letter, error)
        else:
            self._failures = 0
            letter.finish(sent.value, {})

    def _interrupted(self, link: Link, letter: Letter, error: Exception) -> None:
        if not (link.blocked and isinstance(error, TimeoutError)):
            self._drop(error)
        if letter.tries >= MOST_TRIES:
            letter.finish("failed", {"why": "interrupted", "error": type(error).__name__})
        elif not self._outbox.give_back(letter):
            letter.finish("dropped", self.why_late(letter))

    def _tick(self, link: Link) -> None:
        try:
            link.tick()
        except Exception as error:  # noqa: BLE001 (as in _connect)
            self._drop(error)

    def _drop(self, error: Exception | None) -> None:
        if error is not None:
            self._failures += 1
            trouble = type(error).__name__
            if trouble != self._trouble:
                log.warning("publisher_disconnected", error=trouble, code=getattr(error, "reply_code", None))
            self._trouble = trouble
        link, self._link = self._link, None
        if link:
            link.drop()

    def _hang_up(self) -> None:
        link, self._link = self._link, None
        if link is None:
            return
        try:
            if link.blocked or link.stale:
                link.drop()
            else:
                link.close()
        except Exception as error:  # noqa: BLE001 (as in _connect; the socket is closed all the same)
            log.debug("publisher_hang_up", error=type(error).__name__)
