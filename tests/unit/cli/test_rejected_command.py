"""The commands of `outlast rejected` teach themselves, and say what they need."""

import inspect
import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from outlast.cli.app import app
from outlast.cli.rejected import rejected
from outlast.cli.rejected.app import COMMANDS, overview
from shared.errors import UsageError

GROUP = typer.main.get_command(rejected)


@pytest.mark.parametrize("name", COMMANDS)
def test_its_help_has_an_example_that_names_its_own_options(name: str) -> None:
    known = {option for parameter in GROUP.commands[name].params for option in parameter.opts}  # type: ignore[attr-defined]
    block = re.search(r"\x08\n((?:.+\n?)+)", inspect.getdoc(COMMANDS[name]) or "")
    assert block
    for line in block[1].splitlines():
        words = shlex.split(line)
        assert words[:3] == ["outlast", "rejected", name]
        assert {word for word in words if word.startswith("--")} <= known, words


@pytest.mark.parametrize("command", [*COMMANDS.values(), overview])
def test_its_help_fits_80_columns(command: object) -> None:
    first, *rest = (inspect.getdoc(command) or "").split("\n\n")
    assert first.endswith(".")
    assert max(len(line) for text in rest for line in text.splitlines()) <= 82


def test_an_option_in_front_of_a_command_is_told_where_it_belongs() -> None:
    with pytest.raises(UsageError, match="Give options behind the command: outlast rejected purge"):
        CliRunner().invoke(app, ["rejected", "--json", "purge", "--why", "x"], catch_exceptions=False)
