"""Providers that send webhooks, one for each way of signing, with keys that were made for these tests."""

import base64
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from services.ingest.webhooks import Proof, Request, prove
from services.ingest.webhooks.public_keys import KeySet, PublicKey
from shared.providers.webhook import Webhook
from tests.faults.canary import CANARY

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
BODY = f'{{"id" : "j\\u00f6b-1",  "status":"done", "url": "https://cdn.acme.example/{CANARY}"}}\n'.encode()
ADDRESS = "https://hooks.acme.example/studio/acme/default/abc"
JWKS = "https://api.acme.example/jwks.json"
SECRETS = (f"{CANARY}-newest-secret".encode(), f"{CANARY}-oldest-secret".encode())
"""The provider signs with the first, and before its rotation it did with the second."""

Headers = dict[str, list[bytes]]


def entry(scheme: str, **fields: Any) -> Webhook:
    """A webhook's table of a provider's file."""
    return Webhook.model_validate({"scheme": scheme, "job_id": "id", **fields})


class Published:
    """Keys that are there already."""

    def __init__(self, keys: KeySet) -> None:
        self.keys = keys

    def candidates(self, address: str, key_id: str | None) -> Iterator[PublicKey]:
        """Those of the id, or all."""
        return (key for name, key in self.keys if key_id in (None, name))


@cache
def ed25519_keys() -> tuple[Ed25519PrivateKey, Ed25519PrivateKey]:
    """The newer and the older one."""
    return Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


@cache
def rsa_keys() -> tuple[RSAPrivateKey, RSAPrivateKey]:
    """The newer and the older one."""
    return generate_private_key(65537, 2048), generate_private_key(65537, 2048)


def public_keys() -> KeySet:
    """What the providers publish, the newer first."""
    named: KeySet = tuple((f"ed-{number}", key.public_key()) for number, key in enumerate(ed25519_keys(), 1))
    return *named, *((f"rsa-{number}", key.public_key()) for number, key in enumerate(rsa_keys(), 1))


@dataclass(frozen=True)
class Sender:
    """One provider: its entry, and the headers that it sends with a body at a time under its nth key."""

    name: str
    webhook: Webhook
    signs: Callable[[bytes, bytes, int], dict[str, bytes]] = field(repr=False)
    has_time: bool = True

    def headers(self, body: bytes = BODY, at: bytes = b"%d" % SECONDS, key: int = 0) -> Headers:
        """Names in lower case, as they reach us."""
        return {name.lower(): [value] for name, value in self.signs(body, at, key).items()}

    @property
    def signature(self) -> str:
        """The header of the signature, in lower case."""
        named = (self.webhook.signature or "").lower()
        return named or next(name for name in self.headers() if name.endswith("signature"))


def proven(
    sender: Sender,
    headers: Mapping[str, Sequence[bytes]],
    body: bytes = BODY,
    *,
    secrets: Sequence[bytes] = SECRETS,
    keys: KeySet | None = None,
    now: datetime = NOW,
    audience: str = ADDRESS,
) -> Proof:
    """Prove what came from a sender."""
    published = Published(public_keys() if keys is None else keys)
    return prove(sender.webhook, Request(headers, body), secrets, published, now, audience)


def mac(key: int, text: bytes) -> bytes:
    """HMAC-SHA256 under one of the secrets."""
    return hmac.new(SECRETS[key], text, sha256).digest()


def _standard(family: str) -> Callable[[bytes, bytes, int], dict[str, bytes]]:
    def signs(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
        signature = b"v1," + base64.b64encode(mac(key, b"msg-1." + at + b"." + body))
        return {f"{family}-Id": b"msg-1", f"{family}-Timestamp": at, f"{family}-Signature": signature}

    return signs


def _bfl(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    return {"X-BFL-Signature": b"sha256=" + mac(key, body).hex().encode()}


def _pollo(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    signature = base64.b64encode(mac(key, b"w-1." + at + b"." + body))
    return {"X-Webhook-Id": b"w-1", "X-Webhook-Timestamp": at, "X-Webhook-Signature": signature}


def _openrouter(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    return {"X-OpenRouter-Signature": b"t=" + at + b",v1=" + mac(key, at + b"," + body).hex().encode()}


def _fal(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    named = {"Request-Id": b"r-1", "User-Id": b"u-1", "Timestamp": at}
    text = b"\n".join((*named.values(), sha256(body).hexdigest().encode()))
    named["Signature"] = ed25519_keys()[key].sign(text).hex().encode()
    return {f"X-Fal-Webhook-{name}": value for name, value in named.items()}


def _atlas(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    signature = base64.urlsafe_b64encode(ed25519_keys()[key].sign(at + b"." + body)).rstrip(b"=")
    named = {"Timestamp": at, "Key-Id": b"ed-%d" % (key + 1), "Signature-Ed25519": signature}
    return {f"X-AtlasCloud-Webhook-{name}": value for name, value in named.items()}


def token(key: int = 0, **claims: object) -> bytes:
    """A token for our address, of now."""
    known = {"aud": ADDRESS, "iat": SECONDS, "exp": SECONDS + 60}
    chosen = {name: value for name, value in {**known, **claims}.items() if value is not None}
    return jwt.encode(chosen, rsa_keys()[key], "RS256", headers={"kid": f"rsa-{key + 1}"}).encode()


def _gemini(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    when = int(at) if at.isdigit() else at.decode("latin-1")
    return {"Webhook-Signature": token(key, iat=when, exp=None)}


def _bound(body: bytes, at: bytes, key: int) -> dict[str, bytes]:
    when = int(at) if at.isdigit() else at.decode("latin-1")
    signed = token(key, iat=when, exp=None, body_sha256=sha256(body).hexdigest())
    return {"Authorization": b"Bearer " + signed}


STANDARD = Sender("standard", entry("standard", secret_file="/s"), _standard("Webhook"))
SVIX = Sender("svix", entry("standard", secret_file="/s"), _standard("Svix"))
BFL = Sender(
    "bfl", entry("hmac", secret_file="/s", signature="X-BFL-Signature", prefix="sha256="), _bfl, has_time=False
)
POLLO = Sender(
    "pollo",
    entry(
        "hmac",
        secret_file="/s",
        secret_is_base64=True,
        signature="X-Webhook-Signature",
        encoding="base64",
        signed="{X-Webhook-Id}.{X-Webhook-Timestamp}.{body}",
        timestamp="X-Webhook-Timestamp",
    ),
    _pollo,
)
OPENROUTER = Sender(
    "openrouter",
    entry(
        "hmac",
        secret_file="/s",
        signature="X-OpenRouter-Signature",
        prefix="v1=",
        signed="{X-OpenRouter-Signature:t},{body}",
        timestamp="X-OpenRouter-Signature:t",
    ),
    _openrouter,
)
FAL = Sender(
    "fal",
    entry(
        "ed25519",
        jwks=JWKS,
        signature="X-Fal-Webhook-Signature",
        signed="{X-Fal-Webhook-Request-Id}\n{X-Fal-Webhook-User-Id}\n{X-Fal-Webhook-Timestamp}\n{body_sha256}",
        timestamp="X-Fal-Webhook-Timestamp",
    ),
    _fal,
)
ATLAS = Sender(
    "atlas",
    entry(
        "ed25519",
        jwks=JWKS,
        signature="X-AtlasCloud-Webhook-Signature-Ed25519",
        encoding="base64url",
        signed="{X-AtlasCloud-Webhook-Timestamp}.{body}",
        timestamp="X-AtlasCloud-Webhook-Timestamp",
        key_id="X-AtlasCloud-Webhook-Key-Id",
    ),
    _atlas,
)
GEMINI = Sender("gemini", entry("jwt", jwks=JWKS, signature="Webhook-Signature"), _gemini)
BOUND = Sender(
    "bound token",
    entry("jwt", jwks=JWKS, signature="Authorization", prefix="Bearer ", body_claim="body_sha256"),
    _bound,
)
HMACS = (STANDARD, SVIX, BFL, POLLO, OPENROUTER)
LISTS = (*HMACS, FAL, ATLAS)
"""Those whose header may hold several signatures."""
TOKENS = (GEMINI, BOUND)
SENDERS = (*LISTS, *TOKENS)
