"""Many tasks on a terminal."""

import io
from datetime import timedelta

import pytest
from rich.console import Console

from outlast.cli.table import print_tasks
from tests.unit.public_tasks import NOW, public_task


def printed(width: int, *, terminal: bool = True, **fields: object) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=terminal, color_system=None)
    print_tasks(console, [public_task("needs_attention", **fields)], as_json=False)
    return text.getvalue().splitlines()


def test_at_80_columns_a_task_is_one_line_with_its_whole_state_and_the_beginning_of_its_id() -> None:
    head, line = printed(80, job_id="job-" + "4" * 300, account="a" * 63, reason="source_unavailable", at_risk=True)
    assert max(len(head), len(line)) <= 80
    assert len(line.split()[0]) == 8
    assert "needs_attention" in line
    assert "source_un" in line


@pytest.mark.parametrize(("width", "terminal"), [(120, True), (80, False)])
def test_a_wide_terminal_and_a_pipe_show_whole_ids(width: int, terminal: bool) -> None:
    _, line = printed(width, terminal=terminal, reason="url_expired")
    assert len(line.split()[0]) == 36
    assert "url_expired" in line


def test_names_are_never_markup_and_never_steer_the_terminal() -> None:
    _, line = printed(200, job_id="[red]x\x1b[31m", output_id="[/]")
    assert "[red]x?[31m [/]" in line


def test_the_time_that_is_left_is_told_of_what_is_at_risk() -> None:
    _, line = printed(200, reason=None, at_risk=True, deadline=NOW + timedelta(days=36500))
    assert "at risk, 36" in line
    _, line = printed(200, reason="stalled", at_risk=True, deadline=NOW - timedelta(days=36500))
    assert "stalled, at risk" in line
    assert "left" not in line
