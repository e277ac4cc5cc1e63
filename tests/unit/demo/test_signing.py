"""Signed links live as long as they say, and only unchanged."""

from datetime import UTC, datetime, timedelta

import pytest

from deploy.local.demo.signing import EXPIRED, NOT_SIGNED, WRONG_SIGNATURE, Refusal, Signer, expires_at

CANARY = "CANARY-5e1f"
MADE = datetime(2026, 12, 1, 10, 0, 0, tzinfo=UTC)
ORIGIN = "http://127.0.0.1:1"
SIGNER = Signer(b"key", CANARY)
LINK = SIGNER.sign(ORIGIN, "/files/a%20b/c.mp4", made=MADE, life=8)


def refusal(link: str, seconds: float) -> Refusal | None:
    return SIGNER.refusal(link.removeprefix(ORIGIN), MADE + timedelta(seconds=seconds))


def test_a_link_is_taken_until_its_life_ends_and_then_refused_as_expired() -> None:
    assert refusal(LINK, 0) is None
    assert refusal(LINK, 7.9) is None
    assert refusal(LINK, 8) == EXPIRED
    assert expires_at(LINK) == MADE + timedelta(seconds=8)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("X-Amz-Expires=8", "X-Amz-Expires=8000"),
        ("20261201T100000Z", "20261201T100001Z"),
        ("c.mp4", "d.mp4"),
        (f"X-Amz-Signature={CANARY}", f"X-Amz-Signature={CANARY}0"),
        (f"X-Amz-Signature={CANARY}", "X-Amz-Signature=%C3%A9"),
    ],
)
def test_a_changed_link_does_not_match_its_signature(old: str, new: str) -> None:
    assert old in LINK
    assert refusal(LINK.replace(old, new), 0) == WRONG_SIGNATURE


def test_a_path_without_a_signature_is_refused() -> None:
    assert refusal(f"{ORIGIN}/files/a%20b/c.mp4", 0) == NOT_SIGNED


def test_the_secret_is_in_the_credential_and_in_the_signature() -> None:
    assert f"X-Amz-Credential={CANARY}%2F" in LINK
    assert f"X-Amz-Signature={CANARY}" in LINK
