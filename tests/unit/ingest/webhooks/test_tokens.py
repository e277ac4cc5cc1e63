"""Tokens that prove a webhook: of one algorithm, for our address, of now, and about the body where they say so."""

import hmac
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from services.ingest.webhooks import Proof, Unproven, Why
from shared.providers.webhook import Webhook
from tests.faults.canary import CANARY, check_silent
from tests.unit.ingest.webhooks.senders import (
    ADDRESS,
    BODY,
    BOUND,
    GEMINI,
    NOW,
    SECONDS,
    Sender,
    ed25519_keys,
    proven,
    public_keys,
    rsa_keys,
    token,
)

CLAIMS = {"aud": ADDRESS, "iat": SECONDS, "exp": SECONDS + 60, "note": CANARY}


def refused(given: bytes, sender: Sender = GEMINI, **more: Any) -> Why:
    with pytest.raises(Unproven) as unproven:
        proven(sender, {sender.signature: [sender.webhook.prefix.encode() + given]}, **more)
    check_silent(unproven.value)
    return unproven.value.why


def accepted(given: bytes, sender: Sender = GEMINI, **more: Any) -> Proof:
    return proven(sender, {sender.signature: [sender.webhook.prefix.encode() + given]}, **more)


def signed(header: Mapping[str, object], claims: object = CLAIMS) -> bytes:
    """A token with any header, its RS256 signature good."""
    parts = (json.dumps(part).encode() if not isinstance(part, bytes) else part for part in (header, claims))
    text = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    encoder = jwt.get_algorithm_by_name("RS256")
    return text + b"." + urlsafe_b64encode(encoder.sign(text, rsa_keys()[0])).rstrip(b"=")


def test_a_token_made_by_hand_is_as_good() -> None:
    assert accepted(signed({"alg": "RS256", "kid": "rsa-1"})) == Proof(binds_body=False)


def test_a_token_without_a_key_id_may_be_signed_by_any_key() -> None:
    for key in rsa_keys():
        assert accepted(jwt.encode(CLAIMS, key, "RS256").encode())


def test_the_algorithm_is_never_the_tokens_choice() -> None:
    pem = rsa_keys()[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    text = signed({"alg": "HS256", "kid": "rsa-1"}).rpartition(b".")[0]
    with_public_key = text + b"." + urlsafe_b64encode(hmac.digest(pem, text, "sha256")).rstrip(b"=")
    curve = ec.generate_private_key(ec.SECP256R1())
    for other in (
        with_public_key,
        jwt.encode(CLAIMS, "", "none", headers={"kid": "rsa-1"}).encode(),
        jwt.encode(CLAIMS, rsa_keys()[0], "RS512", headers={"kid": "rsa-1"}).encode(),
        jwt.encode(CLAIMS, rsa_keys()[0], "PS256", headers={"kid": "rsa-1"}).encode(),
        jwt.encode(CLAIMS, curve, "ES256", headers={"kid": "rsa-1"}).encode(),
        jwt.encode(CLAIMS, ed25519_keys()[0], "EdDSA", headers={"kid": "rsa-1"}).encode(),
        signed({"kid": "rsa-1"}),
        signed({"alg": None, "kid": "rsa-1"}),
        signed({"alg": ["RS256"], "kid": "rsa-1"}),
    ):
        assert refused(other) is Why.BAD_TOKEN


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "RS256", "kid": 1},
        {"alg": "RS256", "kid": ["rsa-1"]},
        {"alg": "RS256", "kid": "rsa-1", "crit": ["exp"]},
        {"alg": "RS256", "kid": "rsa-1", "b64": False, "crit": ["b64"]},
        [],
        b"\xff",
        b"[" * 100_000,
        b"1" * 5000,
    ],
    ids=["number", "list", "critical", "detached", "no object", "no text", "deep", "long number"],
)
def test_a_header_that_is_odd_is_refused(header: Any) -> None:
    assert refused(signed(header)) is Why.BAD_TOKEN


@pytest.mark.parametrize("claims", [[], b"\xff", b"[" * 100_000, b"1" * 5000, b""])
def test_claims_that_are_none_are_refused_though_they_are_signed(claims: Any) -> None:
    assert refused(signed({"alg": "RS256", "kid": "rsa-1"}, claims)) is Why.BAD_TOKEN


@pytest.mark.parametrize("given", [b"", b".", b"..", b"a.b", b"a.b.c", b"a.b.c.d", b"\xff.\xff.\xff", CANARY.encode()])
def test_what_is_no_token_is_refused(given: bytes) -> None:
    assert refused(given or b" ") is Why.BAD_TOKEN


def test_an_unknown_key_id_is_refused() -> None:
    assert refused(signed({"alg": "RS256", "kid": "rsa-9"})) is Why.NO_KEY
    assert refused(signed({"alg": "RS256", "kid": "rsa-2"})) is Why.BAD_SIGNATURE
    assert refused(signed({"alg": "RS256", "kid": "ed-1"})) is Why.NO_KEY


@pytest.mark.parametrize(
    "audience",
    [
        None,
        "",
        [],
        "https://hooks.other.example/",
        ADDRESS + "/",
        ADDRESS.upper(),
        [1],
        {"a": ADDRESS},
        7,
        [ADDRESS, 1],
    ],
)
def test_a_token_for_somebody_else_is_refused(audience: object) -> None:
    assert refused(token(aud=audience)) is Why.BAD_TOKEN


def test_a_token_may_be_for_others_too() -> None:
    assert accepted(token(aud=["https://hooks.other.example/", ADDRESS]))


def test_the_entry_may_name_whom_a_token_is_for() -> None:
    named = Sender("named", GEMINI.webhook.model_copy(update={"audience": "project-7"}), GEMINI.signs)
    assert accepted(token(aud="project-7"), named)
    assert refused(token(), named) is Why.BAD_TOKEN


ODD_TIMES: tuple[object, ...] = ("1", [], {}, -1, 0, 1e300)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"exp": SECONDS - 301}, Why.TOO_OLD),
        ({"exp": SECONDS - 301, "iat": SECONDS}, Why.TOO_OLD),
        ({"exp": None, "iat": SECONDS - 301}, Why.TOO_OLD),
        ({"nbf": SECONDS + 301}, Why.TOO_NEW),
        ({"iat": SECONDS + 301}, Why.TOO_NEW),
        ({"exp": None, "iat": None}, Why.BAD_TIMESTAMP),
        ({"exp": None, "iat": None, "nbf": SECONDS}, Why.BAD_TIMESTAMP),
        *(({name: odd}, Why.BAD_TIMESTAMP) for name in ("exp", "iat", "nbf") for odd in ODD_TIMES),
        ({"exp": float("inf")}, Why.BAD_TIMESTAMP),
        ({"exp": float("nan")}, Why.BAD_TIMESTAMP),
        ({"exp": 10**400}, Why.BAD_TIMESTAMP),
        ({"exp": SECONDS * 1000}, Why.BAD_TIMESTAMP),
        ({"exp": True}, Why.TOO_OLD),
    ],
)
def test_a_token_that_is_not_of_now_is_refused(claims: dict[str, Any], why: Why) -> None:
    assert refused(token(**claims)) is why


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": SECONDS - 300},
        {"exp": SECONDS + 86400, "iat": SECONDS - 86400},
        {"exp": SECONDS + 60.5, "iat": None},
        {"exp": None, "iat": SECONDS - 300},
        {"iat": SECONDS + 300, "nbf": SECONDS + 300},
    ],
)
def test_a_token_within_the_tolerance_is_of_now(claims: dict[str, Any]) -> None:
    assert accepted(token(**claims))


def test_the_clock_is_the_one_that_was_given() -> None:
    assert accepted(token(iat=1000, exp=2000), now=NOW - timedelta(seconds=SECONDS - 1500))
    assert refused(token(), now=NOW + timedelta(days=1)) is Why.TOO_OLD


DIGEST = sha256(BODY).digest()


@pytest.mark.parametrize(
    "written",
    [
        DIGEST.hex(),
        b64encode(DIGEST).decode(),
        urlsafe_b64encode(DIGEST).decode(),
        urlsafe_b64encode(DIGEST).decode().rstrip("="),
    ],
)
def test_a_claim_with_the_digest_binds_the_body(written: str) -> None:
    assert accepted(token(body_sha256=written), BOUND) == Proof(binds_body=True)


@pytest.mark.parametrize("written", [None, "", 1, [DIGEST.hex()], {"a": 1}, sha256(b"another").hexdigest()])
def test_a_claim_with_another_digest_or_none_is_refused(written: object) -> None:
    assert refused(token(body_sha256=written), BOUND) is Why.BAD_TOKEN


def test_a_claim_that_the_entry_does_not_name_binds_nothing() -> None:
    assert accepted(token(body_sha256=DIGEST.hex())) == Proof(binds_body=False)


def test_of_several_keys_without_an_id_the_last_may_fit() -> None:
    nameless = tuple((None, key) for _, key in public_keys())
    assert proven(GEMINI, {GEMINI.signature: [jwt.encode(CLAIMS, rsa_keys()[1], "RS256").encode()]}, keys=nameless)


def test_a_prefix_that_is_missing_leaves_no_token_but_the_whole_value() -> None:
    assert isinstance(BOUND.webhook, Webhook)
    bare = token(body_sha256=DIGEST.hex())
    assert proven(BOUND, {BOUND.signature: [bare]}).binds_body, "the signature proves it, not the word before it"
