"""The keys of staging objects and assets."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import durable_key, facts_key, key_part, staging_key

DIGEST = "ab" * 32
KEY = re.compile(r"video/acme(/[A-Za-z0-9._-]{1,64}){2}/[A-Za-z0-9._-]{1,64}-[0-9a-f]{64}\.mp4")


def test_names_that_fit_stand_in_the_key_as_they_are() -> None:
    key = durable_key("video", "acme", "op-1", "2", "0", DIGEST, "mp4")
    assert key == f"video/acme/op-1/2/0-{DIGEST}.mp4"
    assert facts_key(key) == f"video/acme/op-1/2/0-{DIGEST}.mp4.outlast.json"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "a b", "é", "x" * 65, "a\n", "a\0", "\ud800", "%2e"])
def test_a_name_that_does_not_fit_becomes_32_hex(name: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", key_part(name))


@pytest.mark.parametrize("name", ["...", "a.b", "x" * 64, "-", "A_b-1"])
def test_a_name_that_fits_stays(name: str) -> None:
    assert key_part(name) == name


@given(*[st.text()] * 3)
def test_no_name_leaves_its_place_in_the_key(operation: str, attempt: str, output: str) -> None:
    key = durable_key("video", "acme", operation, attempt, output, DIGEST, "mp4")
    assert KEY.fullmatch(key)
    assert not {".", "..", ""} & set(key.split("/"))


@given(st.text(), st.text())
def test_different_odd_names_have_different_parts(one: str, other: str) -> None:
    assert (key_part(one) == key_part(other)) == (one == other)


@pytest.mark.parametrize(
    ("kind", "account", "digest", "extension"),
    [
        ("Video", "acme", DIGEST, "mp4"),
        ("video", "Acme", DIGEST, "mp4"),
        ("video", "a/b", DIGEST, "mp4"),
        ("video", "acme", "ab", "mp4"),
        ("video", "acme", DIGEST.upper(), "mp4"),
        ("video", "acme", DIGEST, "../x"),
        ("video", "acme", DIGEST, ""),
    ],
)
def test_a_wrong_word_of_our_own_is_refused(kind: str, account: str, digest: str, extension: str) -> None:
    with pytest.raises(ValueError, match="wrong form"):
        durable_key(kind, account, "o", "1", "0", digest, extension)


def test_each_claim_has_a_staging_key_of_its_own() -> None:
    task, lease = UUID(int=1), UUID(int=2)
    assert staging_key(task, 3, lease) == f"staging/{task}/3-{lease}"
