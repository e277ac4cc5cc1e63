"""Where the command finds its servers."""

from pathlib import Path

import pytest

from outlast.cli.connections import LOCAL_STACK, connections
from shared.errors import UsageError

VARIABLES = ("AMQP_URL", "AMQP_PASSWORD_FILE", "DATABASE_URL", "DATABASE_PASSWORD_FILE")


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(f"OUTLAST_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def local_stack(folder: Path) -> None:
    file = folder / LOCAL_STACK
    file.parent.mkdir(parents=True)
    file.write_text("OUTLAST_AMQP_URL=amqp://local@h:1/v\nOUTLAST_DATABASE_URL='postgresql://r:p@h/d'\nOUTLAST_X=1\n")


def test_the_environment_is_used_and_passwords_come_from_their_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("p:w/d@%\n")
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://user@broker:5671/v%2Fhost")
    monkeypatch.setenv("OUTLAST_AMQP_PASSWORD_FILE", str(tmp_path / "password"))
    monkeypatch.setenv("OUTLAST_DATABASE_URL", "postgresql://reader:own@db/outlast?sslmode=require")
    told = connections()
    assert told.amqp() == "amqp://user:p%3Aw%2Fd%40%25@broker:5671/v%2Fhost"
    assert told.database() == "postgresql://reader:own@db/outlast?sslmode=require"


def test_the_local_stack_is_found_from_a_folder_below_and_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local_stack(tmp_path)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    told = connections()
    assert (told.amqp(), told.database()) == ("amqp://local@h:1/v", "postgresql://r:p@h/d")
    printed = capsys.readouterr()
    assert str(LOCAL_STACK) in printed.err
    assert printed.out == ""


def test_one_address_from_the_environment_is_never_mixed_with_the_local_stack(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local_stack(tmp_path)
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://production/v")
    with pytest.raises(UsageError, match="OUTLAST_DATABASE_URL"):
        connections().database()


def test_without_any_address_the_error_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"OUTLAST_AMQP_URL.*outlast up"):
        connections().amqp()


def test_addresses_are_masked_when_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://user:CANARY-9@broker/v")
    assert "CANARY-9" not in repr(connections())
