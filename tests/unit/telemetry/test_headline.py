"""The headline: read from the database when scraped, and never in the way of the other metrics."""

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.states import FINAL, State
from shared.telemetry import headline as headline_module
from shared.telemetry.headline import CACHE_SECONDS, Headline, HeadlineFigures
from shared.telemetry.register import Register

CANARY = "SECRETMARK7"
FIGURES = HeadlineFigures(
    outputs_waiting=3,
    oldest_ready_seconds=120.0,
    tasks_at_risk=4,
    shortest_lives={"p": 600.0, "other": 900.0},
    usual_lives={"p": 700.0},
    tasks_by_state={"output_ready": 2, "complete": 9, "unheard_of": 1, "odd": 1},
    complete_without_uri=0,
    clock_offset_seconds=-2.5,
)


class Scraped:
    """A register with a headline whose clock and source the test holds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.reads = 0
        self.register = Register()
        self.headline = Headline(self.register, clock=lambda: self.now)

    def read_from(self, source: Callable[[], HeadlineFigures]) -> None:
        def read() -> HeadlineFigures:
            self.reads += 1
            return source()

        self.headline.read_from(read)

    def value(self, name: str, **labels: str) -> float | None:
        return self.register.registry.get_sample_value(f"outlast_{name}", labels)


@pytest.fixture
def scraped() -> Scraped:
    return Scraped()


def test_the_figures_of_the_database_are_shown(scraped: Scraped) -> None:
    scraped.read_from(lambda: FIGURES)
    assert scraped.value("headline_up") == 1
    assert scraped.value("outputs_waiting") == 3
    assert scraped.value("oldest_output_ready_seconds") == 120
    assert scraped.value("tasks_at_risk") == 4
    assert scraped.value("shortest_link_life_seconds", provider="p") == 600
    assert scraped.value("shortest_link_life_seconds", provider="other") == 900
    assert scraped.value("usual_short_link_life_seconds", provider="p") == 700
    assert scraped.value("usual_short_link_life_seconds", provider="other") is None
    assert scraped.value("database_clock_offset_seconds") == -2.5
    assert scraped.value("backlog_age_to_life_ratio") == pytest.approx(0.2)
    assert scraped.value("complete_without_uri") == 0


def test_open_states_are_there_at_zero_and_final_ones_only_when_counted(scraped: Scraped) -> None:
    scraped.read_from(lambda: FIGURES)
    found = {str(state): scraped.value("tasks", state=state) for state in State}
    expected: dict[str, float | None] = {str(state): None if state in FINAL else 0 for state in State}
    assert found == {**expected, "output_ready": 2, "complete": 9}
    assert scraped.value("tasks", state="other") == 2


def test_without_a_known_life_its_metrics_are_absent(scraped: Scraped) -> None:
    scraped.read_from(lambda: replace(FIGURES, shortest_lives={}, oldest_ready_seconds=None))
    assert scraped.value("headline_up") == 1
    assert scraped.value("oldest_output_ready_seconds") == 0
    assert scraped.value("shortest_link_life_seconds", provider="p") is None
    assert scraped.value("backlog_age_to_life_ratio") is None


@pytest.mark.parametrize(("age", "ratio"), [(5.0, math.inf), (0.0, 0.0)])
def test_a_life_of_nothing_is_no_division_by_zero(scraped: Scraped, age: float, ratio: float) -> None:
    scraped.read_from(lambda: replace(FIGURES, shortest_lives={"p": 0.0}, oldest_ready_seconds=age))
    assert scraped.value("backlog_age_to_life_ratio") == ratio


def test_without_a_source_there_is_no_headline(scraped: Scraped) -> None:
    assert scraped.value("headline_up") is None
    assert scraped.register.render() == b""


def test_scrapes_within_five_seconds_read_once(scraped: Scraped) -> None:
    scraped.read_from(lambda: FIGURES)
    for scraped.now in (0.0, 1.0, CACHE_SECONDS - 0.01):
        scraped.register.render()
    assert scraped.reads == 1
    scraped.now = CACHE_SECONDS
    scraped.register.render()
    assert scraped.reads == 2


def unreachable() -> HeadlineFigures:
    raise ConnectionError(f"postgresql://u:{CANARY}@h/x")


def not_figures() -> Any:
    return None


def not_numbers() -> HeadlineFigures:
    wrong: Any = "x"
    return replace(FIGURES, outputs_waiting=wrong)


@pytest.mark.parametrize("fail", [unreachable, not_figures, not_numbers])
def test_a_source_that_fails_hides_only_the_headline(scraped: Scraped, fail: Any, log_lines: Any) -> None:
    scraped.register.counter("outlast_events_total", "Events.").add()
    scraped.read_from(fail)
    text = scraped.register.render().decode()
    assert "outlast_headline_up 0.0" in text
    assert "outlast_events_total 1.0" in text
    assert "outputs_waiting" not in text
    [line] = log_lines()
    assert line["event"] == "headline_unread"
    assert CANARY not in str(line)
    scraped.now = CACHE_SECONDS
    scraped.read_from(lambda: FIGURES)
    assert scraped.value("headline_up") == 1


def test_a_source_that_hangs_does_not_hold_other_scrapes(scraped: Scraped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headline_module, "WAIT_SECONDS", 0.05)
    asked, answered = threading.Event(), threading.Event()

    def hang() -> HeadlineFigures:
        asked.set()
        answered.wait(60)
        return FIGURES

    scraped.read_from(hang)
    first = threading.Thread(target=scraped.register.render)
    first.start()
    try:
        assert asked.wait(10)
        assert scraped.value("headline_up") == 0
    finally:
        answered.set()
        first.join()
    assert scraped.value("headline_up") == 1
