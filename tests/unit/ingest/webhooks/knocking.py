"""The application behind the door without a socket: an entry of its own, and requests as uvicorn hands them over."""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from services.ingest.webhooks.addressee import Addressees
from services.ingest.webhooks.answer import STORED, Answer
from services.ingest.webhooks.following import Follower
from services.ingest.webhooks.hearing import Hearing
from services.ingest.webhooks.notice import Notice
from services.ingest.webhooks.public_url import PublicUrl
from services.ingest.webhooks.receive import Receiver
from shared.providers import Provider, Registry
from tests.faults.canary import CANARY
from tests.unit.ingest.webhooks.senders import NOW, Published

KEY = CANARY.encode() * 4
SECRET = f"{CANARY}-secret"
URL = PublicUrl("https://hooks.example/in/")
MOST_BYTES = 10_000
SIGNED = {
    "scheme": "hmac",
    "secret_file": "{folder}/{provider_account}.secret",
    "signature": "X-Signature",
    "job_id": "id",
    "challenge": "challenge",
    "model": "model",
}


def registry(folder: Path, **webhooks: Mapping[str, Any]) -> Registry:
    """The entries of Outlast, and one for each of these webhooks."""
    (folder / "default.secret").write_text(SECRET)
    entries = [
        Provider.model_validate({"name": name, "webhook": _placed(webhook, folder)})
        for name, webhook in webhooks.items()
    ]
    return Registry([*Registry.load().all(), *entries])


def _placed(webhook: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    return {
        name: value.replace("{folder}", str(folder)) if isinstance(value, str) else value
        for name, value in webhook.items()
    }


def path(provider: str = "acme", account: str = "studio") -> str:
    """A callback's path."""
    return URL.callback(KEY, account, provider, "default").removeprefix("https://hooks.example")


def body(**record: Any) -> bytes:
    """A record with a canary in its link."""
    return json.dumps(
        {"id": "job-1", "status": "succeeded", "outputs": [{"url": f"https://h/{CANARY}"}], **record}
    ).encode()


def signed(content: bytes) -> dict[str, bytes]:
    """The header that proves a body."""
    return {"x-signature": hmac.digest(SECRET.encode(), content, "sha256").hex().encode()}


@dataclass
class Followed:
    """Stands at the end, where the database would be: keeps what came, and answers as it is told."""

    notices: list[Notice] = field(default_factory=list)
    work: Callable[[], Answer] = lambda: STORED

    def follow(self, notice: Notice) -> Answer:
        """Keep a notice."""
        self.notices.append(notice)
        return self.work()


def receiver(found: Registry, followed: Followed, most_bytes: int = MOST_BYTES) -> Receiver:
    """The application."""
    hearing = Hearing(found, Published(()), lambda: NOW, most_bytes)
    return Receiver(Addressees(URL, [KEY], found), hearing, cast(Follower, followed), most_bytes)


@dataclass
class Told:
    """What a sender was told, and how many pieces of its body were taken."""

    status: int
    headers: dict[str, str]
    text: str
    taken: int


async def send(
    app: Receiver,
    target: str,
    pieces: Iterable[bytes | None] = (b"",),
    headers: Mapping[str, bytes] = {},
    method: str = "POST",
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Told:
    """Send a body in pieces, with a pause before each; None as the last piece ends the connection."""
    left, taken, sent = list(pieces), 0, []

    async def receive() -> dict[str, Any]:
        nonlocal taken
        if pause:
            await pause()
        piece = left.pop(0) if left else None
        if piece is None:
            return {"type": "http.disconnect"}
        taken += 1
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def hear(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": "/not looked at",
        "raw_path": target.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value) for name, value in headers.items()],
    }
    await app(scope, receive, hear)
    start, end = sent
    fields = {name.decode(): value.decode() for name, value in start["headers"]}
    return Told(start["status"], fields, end["body"].decode(), taken)


def knock(
    app: Receiver, target: str, *pieces: bytes, headers: Mapping[str, bytes] | None = None, method: str = "POST"
) -> Told:
    """Send one request with a body in these pieces."""
    return asyncio.run(send(app, target, pieces or (b"",), headers or {}, method))
