"""`outlast list` and `outlast status` as a person and a program use them."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import complete, taken
from tests.integration.reading.commands import Reader
from tests.integration.reading.filled import fill


def test_pages_follow_each_other_by_the_hint_that_is_printed(accept: Accept, reader: Reader) -> None:
    made = [str(accept()) for _ in range(5)]
    done = reader.run("list", "--limit", "3")
    hint = done.stderr.split("--after ")[1].strip()
    second = reader.text("list", "--limit", "3", "--after", hint)
    told = [line[:36] for line in (done.stdout + second).splitlines() if not line.startswith("Task")]
    assert told == made[::-1]


def test_filters_leave_what_matches(as_role: As, accept: Accept, reader: Reader) -> None:
    stopped = str(accept(account="studio", provider="acme"))
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    values = {"to_state": "needs_attention", "reason": "source_gone", "evidence": {}}
    as_role("downloader").run("give_up", **claim.token, **values, sources_added=claim.sources_added)
    other = str(accept(account="other", provider="else"))
    for filters, found in (
        (["--state", "needs_attention"], [stopped]),
        (["--account", "other"], [other]),
        (["--provider", "acme"], [stopped]),
        (["--reason", "source_gone", "--account", "studio"], [stopped]),
        (["--reason", "source_gone", "--account", "other"], []),
        (["--urgent"], [other]),
        (["--since", "1h"], [other, stopped]),
        (["--since", datetime.now(UTC).isoformat()], []),
    ):
        assert [told["task_id"] for told in reader.lines("list", *filters)] == found, filters


def test_an_output_at_risk_is_a_line_with_the_time_that_is_left(accept: Accept, reader: Reader) -> None:
    now = datetime.now(UTC)
    accept(ready_at=now - timedelta(hours=2), deadline=now + timedelta(seconds=100), job_id="j" * 300)
    (told,) = reader.lines("list", "--at-risk")
    assert told["at_risk"] is True
    (line,) = reader.text("list", "--at-risk").splitlines()[1:]
    assert line.startswith(told["task_id"])
    assert re.search(r"at risk, \d+ s left", line)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--since", "yesterday"], "30m, 12h or 7d"),
        (["--after", "nothing"], "--after needs the id of one task"),
        (["--state", "lost"], "needs_attention"),
        (["--reason", "because"], "url_expired"),
    ],
)
def test_a_wrong_option_is_answered_with_what_is_right(reader: Reader, words: list[str], fault: str) -> None:
    assert fault in reader.run("list", *words, code=2).stderr.replace("\n", " ")


def test_nothing_found_is_said_and_is_no_failure(reader: Reader) -> None:
    done = reader.run("list")
    assert done.stderr == "No task matches.\n"
    assert reader.lines("list") == []


def test_status_counts_the_states_the_ends_the_risks_and_the_lives(as_role: As, accept: Accept, reader: Reader) -> None:
    now = datetime.now(UTC)
    complete(as_role, accept)
    accept(ready_at=now - timedelta(hours=2), deadline=now + timedelta(seconds=100), provider="acme", life=7200.0)
    accept(ready_at=now - timedelta(minutes=10))
    (told,) = reader.lines("status")
    states = {row["state"]: row for row in told["states"]}
    assert states["output_ready"]["tasks"] == 2
    assert 7200 <= states["output_ready"]["oldest_seconds"] < 7260
    assert (states["verifying"]["tasks"], states["verifying"]["oldest_seconds"]) == (0, None)
    assert (told["complete_last_hour"], told["complete_last_day"], told["abandoned"], told["at_risk"]) == (1, 1, 0, 1)
    lives = {life["provider"]: life for life in told["link_lives"]}
    assert lives["acme"]["shortest_seconds"] == 7200.0
    text = reader.text("status")
    assert "output_ready" in text
    assert "2 h" in text
    assert "outlast list --at-risk" in text
    assert max(map(len, text.splitlines())) <= 80


def test_counts_end_at_a_limit_and_say_so(database: TestDatabase, as_role: As, monkeypatch: pytest.MonkeyPatch) -> None:
    from outlast.cli.status import counted
    from shared.db import standing

    monkeypatch.setattr(standing, "MOST_COUNTED", 10)
    fill(database, 1000)
    now = standing.read_standing(as_role("reader"))
    tasks = {state.state: state.tasks for state in now.states}
    assert (tasks["output_ready"], tasks["downloading"]) == (10, 10)
    assert (counted(10), counted(9)) == ("10 or more", "9")
