"""How signatures are written, and which text they sign."""

import hmac
from base64 import b64encode, urlsafe_b64encode
from typing import Any

import pytest

from services.ingest.webhooks import Unproven, Why
from services.ingest.webhooks.signed_text import MOST_SIGNATURES
from tests.unit.ingest.webhooks.senders import ATLAS, BODY, FAL, SECRETS, Headers, Sender, entry, proven

DIGEST = hmac.digest(SECRETS[0], BODY, "sha256")


def sender(**fields: Any) -> Sender:
    webhook = entry("hmac", secret_file="/s", signature="X-Signature", **fields)
    return Sender("acme", webhook, lambda body, at, key: {"X-Signature": DIGEST.hex().encode()})


def why(given: Sender, headers: Headers) -> Why:
    with pytest.raises(Unproven) as unproven:
        proven(given, headers)
    return unproven.value.why


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("hex", DIGEST.hex().encode()),
        ("hex", DIGEST.hex().upper().encode()),
        ("base64", b64encode(DIGEST)),
        ("base64", b64encode(DIGEST).rstrip(b"=")),
        ("base64url", urlsafe_b64encode(DIGEST)),
        ("base64url", urlsafe_b64encode(DIGEST).rstrip(b"=")),
    ],
)
def test_a_signature_counts_in_upper_case_and_without_padding(encoding: str, written: bytes) -> None:
    assert proven(sender(encoding=encoding), {"x-signature": [written]}).binds_body


@pytest.mark.parametrize("encoding", ["hex", "base64", "base64url"])
@pytest.mark.parametrize(
    "written",
    [b"a", b"abc", b"====", b"=", b"zz", b"\xc3\xa9", b"-_", b"+/", b"a" * 60_000, DIGEST, b"0x" + b"00" * 32],
)
def test_what_is_written_in_another_way_is_a_bad_signature(encoding: str, written: bytes) -> None:
    assert why(sender(encoding=encoding), {"x-signature": [written]}) is Why.BAD_SIGNATURE


def test_only_the_first_few_signatures_are_tried() -> None:
    """Ed25519 takes its time, and a header has room for hundreds."""
    bad, good = b"00" * 32, DIGEST.hex().encode()
    assert proven(sender(), {"x-signature": [b" ".join([*[bad] * (MOST_SIGNATURES - 1), good])]}).binds_body
    assert why(sender(), {"x-signature": [b" ".join([*[bad] * MOST_SIGNATURES, good])]}) is Why.BAD_SIGNATURE


def test_signatures_of_other_versions_take_no_place() -> None:
    listed = b",".join([*[b"v0=" + b"00" * 32] * 20, b"v1=" + DIGEST.hex().encode()])
    assert proven(sender(prefix="v1="), {"x-signature": [listed]}).binds_body


def test_the_case_of_a_header_s_name_does_not_matter() -> None:
    shouted = FAL.webhook.model_copy(
        update={"signed": FAL.webhook.signed.replace("X-Fal", "x-FAL"), "signature": "x-fal-webhook-SIGNATURE"}
    )
    assert proven(Sender("fal", shouted, FAL.signs), FAL.headers()).binds_body


def test_a_body_with_braces_or_backslashes_is_no_template() -> None:
    for body in (b"{X-Fal-Webhook-User-Id}", rb"\1\g<0>{body_sha256}", b"{", b"{}"):
        assert proven(ATLAS, ATLAS.headers(body), body).binds_body


@pytest.mark.parametrize("key_id", [b"ed-9", b"\xff", b"rsa-1", b"ed-1 "])
def test_an_unknown_key_id_is_no_key(key_id: bytes) -> None:
    assert why(ATLAS, {**ATLAS.headers(), "x-atlascloud-webhook-key-id": [key_id]}) is Why.NO_KEY


def test_the_key_id_of_another_key_is_a_bad_signature() -> None:
    assert why(ATLAS, {**ATLAS.headers(), "x-atlascloud-webhook-key-id": [b"ed-2"]}) is Why.BAD_SIGNATURE
