"""Secrets of webhooks in files: which count, and what is said of a file that cannot be used."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from services.ingest.webhooks import secrets_of
from shared.errors import Failure
from shared.providers.webhook import Webhook
from shared.reasons import Reason
from tests.faults.canary import CANARY, check_silent
from tests.unit.ingest.webhooks.senders import FAL, entry

SECRET = CANARY.encode() * 2 + b"!"
"""Of a length that base64 has to pad."""
WRITTEN = b64encode(SECRET).decode()


def webhook(folder: Path, scheme: str = "standard", **fields: Any) -> Webhook:
    named = {"signature": "X-Signature"} if scheme == "hmac" else {}
    return entry(scheme, secret_file=f"{folder}/{{provider_account}}.secret", **named, **fields)


def failing(given: Webhook, account: str = "main") -> Failure:
    with pytest.raises(Failure) as failure:
        secrets_of(given, account)
    check_silent(failure.value)
    return failure.value


@pytest.mark.parametrize("text", [f"whsec_{WRITTEN}", WRITTEN, WRITTEN.rstrip("="), f"\n  whsec_{WRITTEN}\r\n\n"])
def test_fr45_a_standard_secret_counts_with_and_without_its_beginning(tmp_path: Path, text: str) -> None:
    (tmp_path / "main.secret").write_text(text)
    assert secrets_of(webhook(tmp_path), "main") == (SECRET,)


def test_a_secret_of_another_scheme_is_the_line_itself_unless_the_entry_says_base64(tmp_path: Path) -> None:
    (tmp_path / "main.secret").write_text(f" whsec_{WRITTEN} \n")
    assert secrets_of(webhook(tmp_path, "hmac"), "main") == (f"whsec_{WRITTEN}".encode(),)
    (tmp_path / "main.secret").write_text(WRITTEN)
    assert secrets_of(webhook(tmp_path, "hmac", secret_is_base64=True), "main") == (SECRET,)


def test_fr45_several_lines_are_a_rotation_and_a_change_is_seen_at_once(tmp_path: Path) -> None:
    file, given = tmp_path / "main.secret", webhook(tmp_path, "hmac")
    for lines in ("one", "two\none", "two"):
        file.write_text(lines)
        assert secrets_of(given, "main") == tuple(lines.encode().split())


def test_each_account_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "main.secret").write_text("one")
    (tmp_path / "other.secret").write_text("two")
    assert secrets_of(webhook(tmp_path, "hmac"), "other") == (b"two",)


def test_a_scheme_with_public_keys_has_none() -> None:
    assert secrets_of(FAL.webhook, "main") == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "Empty file"),
        (b" \n\n", "Empty file"),
        (b"\xef\xbb\xbfCANARY7f3a9c", "Not ASCII text"),
        (b"CANARY7f3a9c\x00", "Not lines of text"),
        (b"CANARY7f3a9c!", "A line is not base64"),
        (b"whsec_", "A line is not base64"),
        (b"whsec_CANARY7f3a9c_-", "A line is not base64"),
        (WRITTEN.encode() + b"\nCANARY7f3a9c!", "A line is not base64"),
        (WRITTEN.encode()[:-1] + b"=====", "A line is not base64"),
    ],
)
def test_a_file_that_holds_no_secrets_is_missing(tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / "main.secret").write_bytes(text)
    failure = failing(webhook(tmp_path))
    assert failure.reason is Reason.CREDENTIAL_MISSING
    assert str(failure.evidence["why"]).endswith(why)


def test_a_file_that_is_not_there_or_not_readable_is_missing(tmp_path: Path) -> None:
    assert str(failing(webhook(tmp_path)).evidence["why"]).endswith("No such file or directory")
    (tmp_path / "main.secret").mkdir()
    assert str(failing(webhook(tmp_path)).evidence["why"]).endswith("Is a directory")


@pytest.mark.parametrize("account", ["../main", "a/b", ".hidden", "a b", "x\n", "*", "a\x00b"])
def test_an_account_to_whose_name_no_file_can_belong_is_refused(tmp_path: Path, account: str) -> None:
    assert failing(webhook(tmp_path), account).reason is Reason.CREDENTIAL_REFUSED
