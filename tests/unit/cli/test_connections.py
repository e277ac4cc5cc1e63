"""Where the command finds its servers."""

import os
from pathlib import Path

import pytest

from deploy.local.folders import DEMO, STACK
from deploy.local.process import Process
from outlast.cli.connections import connections, opened
from shared.errors import UsageError

ADDRESSES = ("AMQP", "DATABASE", "OPERATOR_DATABASE", "SWEEPER_DATABASE")
STORE = ("S3_ENDPOINT", "S3_SECRET_KEY_FILE", "INPUT_BUCKET", "INPUT_PREFIX")
VARIABLES = [*STORE, *(f"{name}_{what}" for name in ADDRESSES for what in ("URL", "PASSWORD_FILE"))]


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(f"OUTLAST_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def local_stack(folder: Path, *, runs: bool = True, host: str = "h") -> None:
    folder.mkdir(parents=True)
    (folder / "outlast.env").write_text(
        f"OUTLAST_AMQP_URL=amqp://local@{host}:1/v\nOUTLAST_DATABASE_URL='postgresql://r:p@{host}/d'\nOUTLAST_X=1\n"
    )
    if runs:
        Process("postgres", folder).claim(os.getpid())


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
    local_stack(tmp_path / STACK)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    told = connections()
    assert (told.amqp(), told.database()) == ("amqp://local@h:1/v", "postgresql://r:p@h/d")
    printed = capsys.readouterr()
    assert str(STACK) in printed.err
    assert printed.out == ""


def test_of_two_local_stacks_the_one_that_runs_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    local_stack(tmp_path / STACK, runs=False, host="stack")
    local_stack(tmp_path / DEMO, host="demo")
    assert connections().amqp() == "amqp://local@demo:1/v"
    assert str(DEMO) in capsys.readouterr().err


def test_a_local_stack_that_does_not_run_is_said_to_be_so(tmp_path: Path) -> None:
    local_stack(tmp_path / STACK, runs=False)
    with pytest.raises(UsageError, match=rf"does not run.*outlast up --dir {STACK}"):
        connections()


def test_a_database_that_is_away_is_one_sentence_without_user_and_password() -> None:
    with (
        pytest.raises(UsageError, match=r"^The database at 127\.0\.0\.1:1 does not answer") as caught,
        opened("postgresql://reader:CANARY-9@127.0.0.1:1/d") as database,
    ):
        database.check()
    assert "CANARY-9" not in str(caught.value)
    assert "reader" not in str(caught.value)


def test_one_address_from_the_environment_is_never_mixed_with_the_local_stack(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local_stack(tmp_path / STACK)
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://production/v")
    with pytest.raises(UsageError, match="OUTLAST_DATABASE_URL"):
        connections().database()


def test_the_input_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"OUTLAST_S3_ENDPOINT.*outlast up"):
        connections().input()
    for name, value in (("S3_ENDPOINT", "http://s3:9000"), ("INPUT_BUCKET", "in"), ("INPUT_PREFIX", "a/")):
        monkeypatch.setenv(f"OUTLAST_{name}", value)
    place = connections().input()
    assert (place.bucket, place.prefix) == ("in", "a/")


def test_without_any_address_the_error_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"OUTLAST_AMQP_URL.*outlast up"):
        connections().amqp()


def test_addresses_are_masked_when_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://user:CANARY-9@broker/v")
    assert "CANARY-9" not in repr(connections())
