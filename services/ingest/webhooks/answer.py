"""What the sender of a webhook is told."""

import json
from dataclasses import dataclass

from starlette.responses import Response

BUSY_SECONDS = 1
"""After this the sender may try again where too many came at once."""
AWAY_SECONDS = 5
"""The same while the database, or what proves a webhook, is away."""


@dataclass(frozen=True)
class Answer:
    """Status, the word under which it is counted, and a short text that repeats nothing of the request."""

    status: int
    outcome: str
    text: str
    headers: tuple[tuple[str, str], ...] = ()
    media_type: str = "text/plain"

    def response(self) -> Response:
        """The same for Starlette."""
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **dict(self.headers)}
        return Response(self.text, self.status, headers, self.media_type)


class Declined(Exception):  # noqa: N818 (an outcome, not a programming error)
    """A request that is not followed, with its answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.outcome)
        self.answer = answer


STORED = Answer(200, "stored", "stored\n")
NOTED = Answer(200, "noted", "noted\n")
HINT = Answer(200, "hint", "the job is asked for\n")
UNKNOWN_ADDRESS = Answer(404, "unknown_address", "unknown address\n")
NOT_POST = Answer(405, "unknown_address", "send it with POST\n", (("Allow", "POST"),))
TOO_LARGE = Answer(413, "too_large", "too large\n")
PACKED = Answer(
    415, "unreadable", "send the body as it is, without a content coding\n", (("Accept-Encoding", "identity"),)
)
TOO_SLOW = Answer(408, "unreadable", "the body did not come in time\n", (("Connection", "close"),))
BUSY = Answer(503, "unavailable", "busy, try again\n", (("Retry-After", str(BUSY_SECONDS)),))
AWAY = Answer(503, "unavailable", "try again\n", (("Retry-After", str(AWAY_SECONDS)),))


def challenge(value: str | int) -> Answer:
    """The value that the provider wants back."""
    return Answer(200, "challenge", json.dumps({"challenge": value}), media_type="application/json")


def unreadable(why: str) -> Answer:
    """A body that cannot be followed; the text never holds any of it."""
    return Answer(400, "unreadable", f"{why}\n")


def unproven(why: str, *, is_malformed: bool) -> Answer:
    """A webhook that is not believed."""
    return Answer(400 if is_malformed else 401, "unproven", f"{why}\n")
