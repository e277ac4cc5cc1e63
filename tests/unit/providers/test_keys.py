"""Keys of provider accounts: which is used for what, and what is said of one that cannot be used."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shared.errors import Failure
from shared.providers import Provider
from shared.providers.entry import Credential
from shared.providers.keys import LATEST_SECONDS, SOONEST_SECONDS, Key, Keys
from shared.reasons import Reason

KEY = "CANARY-sk-1"
READY = datetime.now(UTC)


@pytest.fixture
def provider(tmp_path: Path) -> Provider:
    (tmp_path / "main.key").write_text(KEY + "\n")
    (tmp_path / "other.key").write_text("CANARY-sk-2")
    origins = ("https://API.acme.example", "http://127.0.0.1:8080")
    file = str(tmp_path / "{provider_account}.key")
    credential = Credential(header="X-Key", prefix="Bearer ", file=file, origins=origins)
    return Provider(name="acme", credential=credential)


def failing(keys: Keys, provider: Provider, account: str = "main", ready_at: datetime = READY) -> Failure:
    with pytest.raises(Failure) as failure:
        keys.of_account(provider, account, ready_at)
    assert "CANARY" not in repr(failure.value.evidence)
    return failure.value


def test_each_account_has_its_own_key_which_no_text_shows(provider: Provider) -> None:
    keys = Keys()
    main, other = keys.of_account(provider, "main", READY), keys.of_account(provider, "other", READY)
    assert main is not None
    assert other is not None
    assert main.headers == {"X-Key": f"Bearer {KEY}"}
    assert other.headers == {"X-Key": "Bearer CANARY-sk-2"}
    assert "CANARY" not in repr(main) + repr(keys.__dict__)


def test_an_entry_without_a_credential_has_no_key() -> None:
    assert Keys().of_account(Provider(name="acme"), "main", READY) is None
    assert Keys().for_link(Provider(name="acme"), "main", READY, "https://api.acme.example/v.mp4") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://api.acme.example/v1/files/1?alt=media",
        "https://api.acme.example:443/x",
        "HTTPS://Api.Acme.Example/x",
        "http://127.0.0.1:8080/x",
    ],
)
def test_a_link_on_exactly_one_of_the_origins_needs_the_key(provider: Provider, url: str) -> None:
    assert Keys().for_link(provider, "main", READY, url) == Key({"X-Key": f"Bearer {KEY}"})


@pytest.mark.parametrize(
    "url",
    [
        "http://api.acme.example/x",
        "https://api.acme.example:8443/x",
        "https://api.acme.example./x",
        "https://api.acme.example.evil.example/x",
        "https://cdn.api.acme.example/x",
        "https://acme.example/x",
        "https://api.acme.example@evil.example/x",
        "https://evil.example/https://api.acme.example/x",
        "https://evil.example\\@api.acme.example/x",
        "http://127.0.0.1/x",
        "http://127.0.0.1:8081/x",
        "data:image/png;base64,AAAA",
        "file:///etc/passwd",
        "",
    ],
)
def test_no_other_link_is_shown_the_key(provider: Provider, url: str) -> None:
    """FR-12."""
    assert Keys().for_link(provider, "main", READY, url) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "Empty file"),
        (b" \n", "Empty file"),
        (b"CANARY\nCANARY", "Not one line of text"),
        (b"CANARY\x00", "Not one line of text"),
        (b"CANARY\xff", "Not ASCII text"),
    ],
)
def test_a_file_that_holds_no_key_is_a_missing_key(provider: Provider, tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / "main.key").write_bytes(text)
    failure = failing(Keys(), provider)
    assert failure.reason is Reason.CREDENTIAL_MISSING
    assert str(failure.evidence["why"]).endswith(why)


@pytest.mark.parametrize(("age", "seconds"), [(-9, SOONEST_SECONDS), (9, 15), (600, 60), (86400, LATEST_SECONDS)])
def test_a_missing_key_is_looked_for_less_often_as_time_goes_on(
    provider: Provider, tmp_path: Path, age: float, seconds: float
) -> None:
    (tmp_path / "main.key").unlink()
    failure = failing(Keys(), provider, ready_at=datetime.now(UTC) - timedelta(seconds=age))
    assert failure.retry_after == pytest.approx(seconds, abs=1)


def test_a_key_that_is_not_there_or_not_readable_is_missing(provider: Provider, tmp_path: Path) -> None:
    (tmp_path / "main.key").unlink()
    assert str(failing(Keys(), provider).evidence["why"]).endswith("No such file or directory")
    (tmp_path / "main.key").mkdir()
    assert str(failing(Keys(), provider).evidence["why"]).endswith("Is a directory")


@pytest.mark.parametrize("account", ["../other", "a/b", ".hidden", "a b", "x\n", "*"])
def test_a_name_to_which_no_file_can_belong_is_refused_for_good(provider: Provider, account: str) -> None:
    assert failing(Keys(), provider, account).reason is Reason.CREDENTIAL_REFUSED


def test_a_rotated_key_is_used_at_once_and_known_to_be_newer_than_older_jobs(
    provider: Provider, tmp_path: Path
) -> None:
    """FR-76."""
    keys, before = Keys([provider]), datetime.now(UTC) - timedelta(seconds=1)
    assert keys.of_account(provider, "main", before) == Key({"X-Key": f"Bearer {KEY}"})
    (tmp_path / "main.key").write_text("CANARY-sk-3")
    assert keys.of_account(provider, "main", before) == Key({"X-Key": "Bearer CANARY-sk-3"}, is_newer=True)
    assert keys.of_account(provider, "main", before) == Key({"X-Key": "Bearer CANARY-sk-3"}, is_newer=True)
    after = datetime.now(UTC) + timedelta(seconds=1)
    assert keys.of_account(provider, "main", after) == Key({"X-Key": "Bearer CANARY-sk-3"})


def test_a_key_that_was_only_written_again_is_no_newer_key(provider: Provider, tmp_path: Path) -> None:
    keys = Keys([provider])
    (tmp_path / "main.key").write_text(f"\n{KEY}\n\n")
    assert keys.of_account(provider, "main", READY) == Key({"X-Key": f"Bearer {KEY}"})


def test_an_old_file_moved_into_place_is_a_change_of_now(provider: Provider, tmp_path: Path) -> None:
    keys, before = Keys([provider]), datetime.now(UTC) - timedelta(seconds=1)
    os.utime(tmp_path / "other.key", (0, 0))
    (tmp_path / "other.key").rename(tmp_path / "main.key")
    assert keys.of_account(provider, "main", before) == Key({"X-Key": "Bearer CANARY-sk-2"}, is_newer=True)


def test_a_folder_with_signs_of_patterns_in_its_name_is_only_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "[a]* {x}"
    folder.mkdir()
    (folder / "main.key").write_text(KEY)
    credential = Credential(header="X-Key", file=str(folder / "{provider_account}.key"))
    provider = Provider(name="acme", credential=credential)
    keys = Keys([provider])
    (folder / "main.key").write_text("CANARY-sk-3")
    assert keys.of_account(provider, "main", READY - timedelta(days=1)) == Key({"X-Key": "CANARY-sk-3"}, is_newer=True)
