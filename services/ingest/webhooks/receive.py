"""One webhook: its address, its size, its proof, what it says, what is done about it, and the answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import structlog
from starlette.requests import Request as HttpRequest
from starlette.types import Receive, Scope, Send

from services.ingest.webhooks.addressee import Addressee, Addressees
from services.ingest.webhooks.answer import AWAY, BUSY, Answer, Declined
from services.ingest.webhooks.body import read_body
from services.ingest.webhooks.following import Follower
from services.ingest.webhooks.hearing import Hearing
from services.ingest.webhooks.notice import Notice
from services.ingest.webhooks.request import Request
from services.ingest.webhooks.threads import Busy, Threads
from shared.telemetry import metrics

log = structlog.get_logger(__name__)

MOST_REQUESTS = 64
"""Requests in progress, each with its body in memory."""
HEARERS = 4
"""Webhooks that are heard apart at once."""
FOLLOWERS = 24
"""Webhooks that are stored at once, each on a connection of its own."""


class Receiver:
    """The application behind the door (ASGI)."""

    def __init__(self, addressees: Addressees, hearing: Hearing, follower: Follower, most_bytes: int) -> None:
        self._addressees = addressees
        self._hearing = hearing
        self._follower = follower
        self._most_bytes = most_bytes
        self._hearers = Threads("webhook-hearer", HEARERS)
        self._followers = Threads("webhook-follower", FOLLOWERS)
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        answer = await self._answer(HttpRequest(scope, receive))
        metrics.WEBHOOKS.add(outcome=answer.outcome)
        await answer.response()(scope, receive, send)

    async def _answer(self, request: HttpRequest) -> Answer:
        try:
            return await self._received(request)
        except Declined as declined:
            return declined.answer
        except Busy:
            return BUSY
        except Exception:
            # Only a fault of the program comes here; the sender keeps the webhook and sends it again.
            log.exception("webhook_broke")
            return AWAY

    async def _received(self, request: HttpRequest) -> Answer:
        addressee = self._addressees.find(request.method, request.scope["raw_path"])
        with self._room(addressee):
            body = await read_body(request, self._most_bytes)
            return await self._attended(addressee, Request.of(request.scope["headers"], body))

    async def _attended(self, addressee: Addressee, request: Request) -> Answer:
        hear = partial(self._hearing.hear, addressee, request)
        if not addressee.is_heard_apart:
            return await self._followers.run(lambda: self._followed(hear()))
        heard = await self._hearers.run(hear)
        return heard if isinstance(heard, Answer) else await self._followers.run(partial(self._followed, heard))

    def _followed(self, heard: Notice | Answer) -> Answer:
        return heard if isinstance(heard, Answer) else self._follower.follow(heard)

    @contextmanager
    def _room(self, addressee: Addressee) -> Iterator[None]:
        # Sent away before any work is done for it.
        if self._inside >= MOST_REQUESTS or not (addressee.is_heard_apart or self._followers.has_room()):
            raise Declined(BUSY)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
