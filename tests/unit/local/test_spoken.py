"""Printed commands work as they are printed."""

import shlex
import sys
from pathlib import Path

import pytest

from deploy.local.spoken import outlast


def test_a_command_names_a_program_that_is_there_and_its_folder_from_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(outlast("down", "--dir", tmp_path / "a b", tmp_path.parent))
    assert Path(program) == Path(sys.executable).with_name("outlast")
    assert words == ["down", "--dir", "a b", str(tmp_path.parent)]


def test_a_program_below_this_folder_is_told_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Path(sys.executable).parent.parent
    monkeypatch.chdir(environment)
    assert outlast("up") == "bin/outlast up"
