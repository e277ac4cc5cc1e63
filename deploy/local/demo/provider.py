"""A provider of generated media for the demonstration: signed links that live seconds, and a job API."""

import hmac
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from urllib.parse import quote, unquote, urlsplit
from xml.sax.saxutils import escape

from deploy.local.demo.server import CHUNK_BYTES, Reply
from deploy.local.demo.signing import Refusal, Signer, expires_at

NO_SUCH_KEY = Refusal("NoSuchKey", "The specified key does not exist.")
TWO_CREDENTIALS = Refusal("InvalidArgument", "Only one auth mechanism allowed.")


@dataclass(frozen=True)
class Offer:
    """One finished job with one output; its links live `life` seconds each.

    `has_record` False: the job API no longer knows the job, so that no fresh link can be had.
    """

    job_id: str
    file_name: str
    content_type: str
    body: bytes | Path
    life: int
    has_record: bool = True

    @property
    def path(self) -> str:
        """The path of the output at the provider, percent-encoded."""
        return f"/files/{quote(self.job_id, safe='')}/{quote(self.file_name, safe='')}"

    @property
    def size(self) -> int:
        """Bytes of the output."""
        return self.body.stat().st_size if isinstance(self.body, Path) else len(self.body)

    def chunks(self) -> Iterator[bytes]:
        """The output, piece by piece."""
        if isinstance(self.body, bytes):
            yield self.body
            return
        with self.body.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


@dataclass
class DemoProvider:
    """The provider at `origin`: what it offers, every link it gave out, and every request it saw.

    `canary` is a secret that is in every link and in the API key.
    """

    canary: str
    origin: str
    offers: Sequence[Offer]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    issued: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.api_key = f"sk-{self.canary}-{secrets.token_hex(8)}"
        self._signer = Signer(secrets.token_bytes(32), self.canary)
        self._by_job = {offer.job_id: offer for offer in self.offers}
        self._by_path = {offer.path: offer for offer in self.offers}
        self._counting = Lock()

    def link(self, job_id: str, *, age: int = 0) -> str:
        """A signed link to a job's output, made `age` seconds ago; every link is kept in `issued`."""
        offer = self._by_job[job_id]
        made = self.now() - timedelta(seconds=age)
        link = self._signer.sign(self.origin, offer.path, made=made, life=offer.life)
        self.issued.append(link)
        return link

    def answer(self, method: str, target: str, authorization: str) -> Reply:
        """The answer to one request; counts it by method, path and status."""
        path = urlsplit(target).path
        if path.startswith("/v1/jobs/"):
            reply = self._job(unquote(path.removeprefix("/v1/jobs/")), authorization)
        elif authorization:  # as at S3: a signed link and a header together are refused
            reply = _xml(400, TWO_CREDENTIALS)
        else:
            reply = self._file(method, path, target)
        with self._counting:
            self.requests[f"{method} {path} {reply.status}"] += 1
        return reply

    def _job(self, job_id: str, authorization: str) -> Reply:
        if not hmac.compare_digest(authorization.encode(), f"Bearer {self.api_key}".encode()):
            return _json(401, {"error": "a valid API key is needed"})
        offer = self._by_job.get(job_id)
        if offer is None or not offer.has_record:
            return _json(404, {"error": "no such job"})
        link = self.link(job_id)
        output = {"id": "0", "url": link, "expires_at": expires_at(link).isoformat()}
        return _json(200, {"id": job_id, "status": "succeeded", "outputs": [output]})

    def _file(self, method: str, path: str, target: str) -> Reply:
        if method != "GET":  # the method is part of what is signed, as at S3
            return Reply.of(403, "application/xml", b"")
        refusal = self._signer.refusal(target, self.now())
        if refusal:
            return _xml(403, refusal)
        offer = self._by_path.get(path)
        if offer is None:
            return _xml(404, NO_SUCH_KEY)
        return Reply(200, offer.content_type, offer.size, offer.chunks())


def _json(status: int, value: object) -> Reply:
    return Reply.of(status, "application/json", json.dumps(value).encode())


def _xml(status: int, refusal: Refusal) -> Reply:
    error = f"<Error><Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message></Error>"
    return Reply.of(status, "application/xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{error}'.encode())
