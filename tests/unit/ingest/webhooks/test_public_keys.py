"""Published sets of keys: which are taken, and that a strange one is only refused."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from hypothesis import given, settings
from hypothesis import strategies as st
from jwt.algorithms import OKPAlgorithm, RSAAlgorithm

from services.ingest.webhooks.public_keys import MOST_KEYS, read_set
from tests.unit.ingest.webhooks.senders import ed25519_keys, rsa_keys

ED, RSA = ed25519_keys()[0], rsa_keys()[0]
ED_JWK: dict[str, Any] = OKPAlgorithm.to_jwk(ED.public_key(), as_dict=True)
RSA_JWK: dict[str, Any] = RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True)


def read(*keys: object) -> list[tuple[str | None, object]]:
    return list(read_set(json.dumps({"keys": keys}).encode()))


def test_keys_of_both_kinds_are_read_with_their_ids() -> None:
    found = read({**ED_JWK, "kid": "a", "use": "sig", "alg": "EdDSA"}, {**RSA_JWK, "kid": "b"}, ED_JWK)
    assert found == [("a", ED.public_key()), ("b", RSA.public_key()), (None, ED.public_key())]


@pytest.mark.parametrize("kid", [1, None, [], {}, True])
def test_an_id_that_is_no_text_is_none(kid: object) -> None:
    assert read({**ED_JWK, "kid": kid}) == [(None, ED.public_key())]


def _long(number: int) -> str:
    return urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).decode().rstrip("=")


UNUSABLE: list[object] = [
    None,
    "key",
    [],
    {},
    {"kty": "oct", "k": "c2VjcmV0"},
    {"kty": ["RSA"]},
    {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
    {"kty": "OKP", "crv": "Ed448", "x": "AA"},
    {"kty": "OKP"},
    {**ED_JWK, "x": "AA"},
    {**ED_JWK, "x": 1},
    {**ED_JWK, "x": "ä"},
    {**ED_JWK, "use": "enc"},
    {**ED_JWK, "use": ["sig"]},
    OKPAlgorithm.to_jwk(ED, as_dict=True),
    RSAAlgorithm.to_jwk(RSA, as_dict=True),
    {**RSA_JWK, "e": "AQ"},
    {**RSA_JWK, "n": 7},
    {**RSA_JWK, "n": "AQ"},
    {**RSA_JWK, "n": ""},
    {**RSA_JWK, "n": _long(2**16000 + 1)},
    {**RSA_JWK, "e": _long(2**5000 + 1)},
    RSAAlgorithm.to_jwk(generate_private_key(65537, 1024).public_key(), as_dict=True),
]


@pytest.mark.parametrize("jwk", UNUSABLE, ids=range(len(UNUSABLE)))
def test_a_key_that_is_unusable_secret_or_weak_is_left_out(jwk: object) -> None:
    assert read(jwk, ED_JWK) == [(None, ED.public_key())]
    with pytest.raises(ValueError, match="no public key"):
        read(jwk)


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS512", ["RS256"], {}, 1])
def test_an_algorithm_that_a_key_claims_does_not_matter(algorithm: object) -> None:
    assert read({**RSA_JWK, "alg": algorithm}) == [(None, RSA.public_key())]


def test_no_more_keys_are_read_than_may_be_tried() -> None:
    assert len(read(*[ED_JWK] * (MOST_KEYS + 1))) == MOST_KEYS


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'{"keys": {}}',
        b'{"keys": 1}',
        b'{"keys": []}',
        b"[" * 200_000,
        b"1" * 5000,
    ],
    ids=lambda text: str(text[:12]),
)
def test_what_is_no_set_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        read_set(text)


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.text(max_size=3))
fields = st.sampled_from(["kty", "crv", "x", "n", "e", "alg", "use", "kid", "key_ops"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([ED_JWK, RSA_JWK, {}]), st.dictionaries(fields, values)), max_size=3))
def test_no_set_raises_anything_but_a_refusal(keys: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    try:
        found = read(*({**jwk, **changed} for jwk, changed in keys))
    except ValueError:
        return
    assert found
