"""Back-off with full jitter, cut to the life of the link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.delays import LONGEST_SECONDS, LONGEST_WISH_SECONDS, margin, next_delay


@pytest.mark.parametrize(("tries", "longest"), [(0, 1.0), (1, 2.0), (5, 32.0), (9, 300.0), (10**6, 300.0)])
def test_the_back_off_doubles_up_to_a_limit_and_is_jittered_down_to_nothing(tries: int, longest: float) -> None:
    assert next_delay(tries, None, None, 0.0, lambda: 1.0) == longest
    assert next_delay(tries, None, None, 0.0, lambda: 0.0) == 0.0


@pytest.mark.parametrize(("life", "seconds"), [(0.0, 1.0), (5.0, 1.0), (60.0, 6.0), (600.0, 60.0), (86400.0, 60.0)])
def test_the_margin_is_a_tenth_of_the_life_from_1_to_60_seconds(life: float, seconds: float) -> None:
    assert margin(life) == seconds


def test_a_delay_is_cut_to_what_the_life_leaves() -> None:
    assert next_delay(9, 600.0, 100.0, 0.0, lambda: 1.0) == 40.0
    assert next_delay(9, 600.0, 1000.0, 0.0, lambda: 1.0) == 300.0


@pytest.mark.parametrize("remaining", [60.0, 30.0, 0.0, -5.0])
def test_no_time_left_means_no_delay_at_all(remaining: float) -> None:
    assert next_delay(0, 600.0, remaining, 0.0, lambda: 0.5) is None


def test_case_55_a_long_retry_after_is_cut_to_the_life_and_a_past_one_is_nothing() -> None:
    assert next_delay(0, 600.0, 500.0, 6 * 3600.0, lambda: 0.0) == 440.0
    assert next_delay(0, None, None, 6 * 3600.0, lambda: 0.0) == LONGEST_WISH_SECONDS
    assert next_delay(0, 600.0, 500.0, 0.0, lambda: 0.0) == 0.0


def test_a_retry_after_is_waited_for_even_when_the_back_off_is_shorter() -> None:
    assert next_delay(0, 86400.0, 80000.0, 120.0, lambda: 1.0) == 120.0


_SECONDS = st.none() | st.floats(-1e9, 1e9)


@given(st.integers(0, 100), _SECONDS, _SECONDS, st.floats(0, 1e12), st.floats(0, 1))
def test_a_delay_is_never_negative_and_never_reaches_the_margin(
    tries: int, life: float | None, remaining: float | None, wish: float, chance: float
) -> None:
    delay = next_delay(tries, life, remaining, wish, lambda: chance)
    if delay is None:
        assert remaining is not None
        assert remaining <= 60.0
        return
    assert 0.0 <= delay <= max(LONGEST_SECONDS, LONGEST_WISH_SECONDS)
    assert remaining is None or delay <= remaining - 1.0
