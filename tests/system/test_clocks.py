"""Links are judged by the clock of their source, else by the database's, never by a worker's own."""

import re
from datetime import timedelta

import pytest

from tests.conftest import ROOT
from tests.system.conftest import System, until

WRONG_CLOCK = str(ROOT / "tests/system/wrong_clock")
MINUTES_20 = 1200.0


def on_a_wrong_clock(ahead: int) -> dict[str, str]:
    return {"PYTHONPATH": WRONG_CLOCK, "TEST_CLOCK_AHEAD": str(ahead)}


@pytest.mark.parametrize("ahead", [3600, -3600])
def test_case_27_a_worker_whose_clock_is_an_hour_off_takes_living_links_for_living_and_dead_ones_for_dead(
    system: System, ahead: int
) -> None:
    system.start("ingest", **on_a_wrong_clock(ahead))
    system.start("downloader", **on_a_wrong_clock(ahead))
    system.publish(
        system.event(system.source.link("picture/alive", life=600), job="alive"),
        system.event(system.source.link("picture/dead", life=-100), job="dead"),
    )
    until(lambda: system.count("state IN ('verifying', 'needs_attention')") == 2, "both came to their end")
    assert dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks")) == {
        "alive": "verifying",
        "dead": "url_expired",
    }
    assert (system.source.asked("picture/alive"), system.source.asked("picture/dead")) == (1, 0)
    ((off, late),) = system.rows("SELECT ready_at - accepted_at, urgency - ready_at FROM tasks WHERE job_id = 'alive'")
    assert abs(off) < timedelta(seconds=5)
    assert abs(late - timedelta(seconds=600)) < timedelta(seconds=5)
    told = re.findall(r'"ts": "([^"]+)".*"event": "staged"', system.log("downloader"))
    ((is_wrong,),) = system.rows(
        f"SELECT abs(extract(epoch FROM '{told[0]}' - staged_at) - {ahead}) < 60 FROM tasks WHERE job_id = 'alive'"
    )
    assert is_wrong, "the clock of the worker was right, so that this shows nothing"


def test_case_27_a_source_whose_clock_is_20_minutes_behind_is_believed_once_it_was_heard(system: System) -> None:
    system.source.set_clock(ahead=-MINUTES_20)
    system.start("ingest")
    system.start("downloader", OUTLAST_SLOTS="1")
    system.publish(system.event(system.source.link("picture/first", life=3600), job="first"))
    until(lambda: system.count("state = 'verifying'") == 1, "the source was heard")
    system.publish(system.event(system.source.link("picture/second", life=600), job="second"))
    until(lambda: system.count("state = 'verifying'") == 2, "the link that ended by our clock is fetched")
    assert system.rows("SELECT url_expires_at < staged_at FROM tasks WHERE job_id = 'second'") == [(True,)]


def test_case_27_a_source_whose_clock_is_20_minutes_ahead_ends_its_link_by_what_it_answers_and_no_other_unasked(
    system: System,
) -> None:
    system.source.set_clock(ahead=MINUTES_20)
    system.source.trouble("picture/x", lambda since: (503, {}, b"") if since < 6 else None)
    system.start("ingest")
    system.start("downloader")
    system.publish(system.event(system.source.link("picture/x", life=5), job="x"))
    until(lambda: system.count("reason = 'url_expired'") == 1, "the source said that its link has ended")
    assert system.rows("SELECT url_expires_at > statement_timestamp() + interval '18 minutes' FROM tasks") == [(True,)]
    # Dated and judged by a right clock, its life is shorter than the other clock was wrong.
    system.source.set_clock(ahead=0.0)
    system.publish(system.event(system.source.link("picture/y", life=600), job="y"))
    until(lambda: system.count("job_id = 'y' AND state = 'verifying'") == 1, "another link of that host is asked for")
