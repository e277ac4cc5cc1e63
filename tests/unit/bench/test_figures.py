"""The figures that are made of measurements."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from bench.claims import Side, as_json, percentile
from bench.filling import Filled, Rows
from bench.outcome import MIB, Outcome
from bench.quiet import used_ticks
from bench.rivals import Run
from bench.tables import print_goal, print_transfers


def runs(*seconds: float) -> list[Run]:
    return [Run(each, cpu_seconds=1.5, peak_rss=50 * MIB) for each in seconds]


@pytest.fixture
def outcome() -> Outcome:
    """Three tools that brought 1,000 MB each, three times."""
    return Outcome(
        size=1_000_000_000,
        versions={"other": "1.2"},
        runs={"ours": runs(4, 5, 100), "fast": runs(8, 8, 8), "slow": runs(10, 20, 1)},
        source_seconds=1.0,
        idle_rss=70_000_000,
        peak_rss={10 * MIB: 100_000_000, 100 * MIB: 108_000_000},
    )


def test_one_slow_run_does_not_change_the_median(outcome: Outcome) -> None:
    assert [outcome.speed(tool) for tool in outcome.runs] == [200.0, 125.0, 100.0]


def test_our_lead_is_against_the_best_rival(outcome: Outcome) -> None:
    assert outcome.lead() == 1.6


def test_the_growth_of_memory_is_the_largest_peak_over_the_smallest(outcome: Outcome) -> None:
    assert outcome.growth() == 1.08


def test_the_file_holds_the_figures_by_their_names(outcome: Outcome, tmp_path: Path) -> None:
    outcome.write(tmp_path / "transfer.json")
    written = json.loads((tmp_path / "transfer.json").read_text())
    assert written["throughput_vs_best_rival"] == 1.6
    assert written["mb_per_s"] == {"ours": 200.0, "fast": 125.0, "slow": 100.0}
    assert written["peak_rss_mb"] == {"10 MiB": 100.0, "100 MiB": 108.0}
    assert written["source_alone_mb_per_s"] == 1000.0


def test_the_tables_say_which_goals_are_reached(outcome: Outcome) -> None:
    text = io.StringIO()
    print_transfers(outcome, Console(file=text, width=110))
    assert "reached throughput against the best rival: 1.60, goal at least 1.2" in text.getvalue()
    assert "reached largest peak of memory, MB: 108.00, goal at most 120" in text.getvalue()


@pytest.mark.parametrize(
    ("figure", "at_least", "verdict"), [(1.2, True, "reached"), (1.1, True, "missed"), (1.3, False, "missed")]
)
def test_a_goal_is_reached_from_its_own_side(figure: float, at_least: bool, verdict: str) -> None:
    text = io.StringIO()
    print_goal(Console(file=text), "it", figure, 1.2, at_least=at_least)
    assert text.getvalue().startswith(verdict)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 50), (0.99, 99), (1.0, 100)])
def test_a_percentile_is_a_value_that_was_measured(share: float, expected: int) -> None:
    assert percentile(list(range(100, 0, -1)), share) == expected


def test_claims_are_compared_by_median_and_by_p99() -> None:
    filled = Filled.__new__(Filled)
    small = Side("small", Rows(1_000), filled, [1.0] * 98 + [4.0] * 2, beside=[2.0] * 10)
    large = Side("large", Rows(1_000_000, 100, 10, 1), filled, [1.2] * 98 + [5.0] * 2, beside=[2.0] * 9 + [8.0])
    figures = as_json([small, large])
    assert (figures["median_ratio"], figures["p99_ratio"]) == (1.2, 1.25)
    assert figures["beside_a_crowd"] == {"median_ratio": 1.0, "p99_ratio": 4.0}
    assert figures["large"] == {
        "ready": 1_000_000,
        "waiting": 100,
        "capped": 10,
        "crowded": 1,
        "claims": 100,
        "median_ms": 1.2,
        "p99_ms": 5.0,
        "beside_a_crowd": {"claims": 10, "median_ms": 2.0, "p99_ms": 8.0},
    }


def test_time_spent_idle_or_waiting_for_a_disk_is_not_used() -> None:
    assert used_ticks("cpu  1 20 300 99999 88888 4000 50000 600000 7 8") == 654_321
