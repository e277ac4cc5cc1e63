"""Signed links in the shape of S3 Signature V4 queries, which tell their making and their life."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Refusal:
    """What a store answers with 403 to a link that it does not take: an S3 error code and its message."""

    code: str
    message: str


NOT_SIGNED = Refusal("AccessDenied", "Access Denied")
EXPIRED = Refusal("AccessDenied", "Request has expired")
WRONG_SIGNATURE = Refusal(
    "SignatureDoesNotMatch",
    "The request signature we calculated does not match the signature you provided.",
)


@dataclass(frozen=True)
class Signer:
    """Makes links and judges them; `canary` marks the credential and the signature of each one."""

    key: bytes
    canary: str

    def sign(self, origin: str, path: str, *, made: datetime, life: int) -> str:
        """A link to `origin` + `path` (percent-encoded) that ends `life` seconds after `made`."""
        stamp = made.astimezone(UTC).strftime(STAMP)
        query = {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{self.canary}/{stamp[:8]}/demo/s3/aws4_request",
            "X-Amz-Date": stamp,
            "X-Amz-Expires": str(life),
            "X-Amz-SignedHeaders": "host",
            "X-Amz-Signature": self._signature(path, stamp, str(life)),
        }
        return f"{origin}{path}?{urlencode(query, quote_via=quote)}"

    def refusal(self, target: str, now: datetime) -> Refusal | None:
        """Why a request for `target` (path and query) is refused at `now`; None when it is allowed."""
        query = dict(parse_qsl(urlsplit(target).query))
        stamp, life = query.get("X-Amz-Date", ""), query.get("X-Amz-Expires", "")
        if "X-Amz-Signature" not in query:
            return NOT_SIGNED
        right = self._signature(urlsplit(target).path, stamp, life)
        if not hmac.compare_digest(right.encode(), query["X-Amz-Signature"].encode()):
            return WRONG_SIGNATURE
        return EXPIRED if now >= expires_at(target) else None

    def _signature(self, path: str, stamp: str, life: str) -> str:
        told = "\n".join(("GET", path, stamp, life)).encode()
        return self.canary + hmac.new(self.key, told, hashlib.sha256).hexdigest()


def expires_at(link: str) -> datetime:
    """The instant at which a link made by a Signer ends."""
    query = dict(parse_qsl(urlsplit(link).query))
    made = datetime.strptime(query["X-Amz-Date"], STAMP).replace(tzinfo=UTC)
    return made + timedelta(seconds=int(query["X-Amz-Expires"]))
