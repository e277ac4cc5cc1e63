"""Each command teaches itself: its help has an example that its own options read, at 80 columns."""

import inspect
import re
import shlex

import pytest
import typer

from outlast.cli.app import COMMANDS, app

GROUP = typer.main.get_command(app)


def examples(name: str) -> list[list[str]]:
    text = inspect.getdoc(COMMANDS[name]) or ""
    block = re.search(r"\x08\n((?:.+\n?)+)", text)
    assert block, f"the help of {name} has no example"
    lines = block[1].replace("\\\n", " ").splitlines()
    return [shlex.split(line.partition("   ")[0]) for line in lines if line.startswith("outlast")]


@pytest.mark.parametrize("name", COMMANDS)
def test_its_help_has_an_example_that_names_its_own_options(name: str) -> None:
    command = GROUP.commands[name]  # type: ignore[attr-defined]  # it is a group
    known = {option for parameter in command.params for option in parameter.opts}
    found = examples(name)
    assert found
    for words in found:
        assert words[:2] == ["outlast", name]
        assert {word for word in words if word.startswith("--")} <= known, words


@pytest.mark.parametrize("name", COMMANDS)
def test_its_help_fits_80_columns(name: str) -> None:
    first, *rest = (inspect.getdoc(COMMANDS[name]) or "").split("\n\n")
    assert first.endswith(".")
    assert max(len(line) for text in rest for line in text.splitlines()) <= 82
