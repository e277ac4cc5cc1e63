"""How long one transfer may take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.order import Limits
from services.downloader.patience import most_seconds

LIMITS = Limits(total_seconds=3600.0, overtime_seconds=60.0)
GIB = 2**30


@pytest.mark.parametrize(
    ("size", "seconds"),
    [
        (None, 3600.0),
        (0, 3600.0),
        (1024, 3600.0),
        (GIB, 3600.0),
        (GIB * 3 // 2, 5400.0),
        (20 * GIB, 72_000.0),
    ],
)
def test_a_large_body_gets_time_in_proportion_to_its_size(size: int | None, seconds: float) -> None:
    assert most_seconds(size, LIMITS, None) == seconds


def test_a_deletion_cuts_the_time_to_its_instant_and_a_little_more() -> None:
    assert most_seconds(None, LIMITS, 100.0) == 160.0
    assert most_seconds(20 * GIB, LIMITS, 100.0) == 160.0
    assert most_seconds(1024, LIMITS, 1e6) == 3600.0


@pytest.mark.parametrize("left", [None, 0.0, -1.0, -86_400.0])
def test_a_link_without_deletion_or_with_one_that_did_not_happen_only_had_to_start_in_time(left: float | None) -> None:
    assert most_seconds(None, LIMITS, left) == 3600.0


@given(st.none() | st.integers(0, 2**50), st.none() | st.floats(-1e9, 1e9))
def test_the_time_is_never_nothing_and_never_more_than_the_size_allows(size: int | None, left: float | None) -> None:
    allowed = most_seconds(size, LIMITS, None)
    assert 60.0 <= most_seconds(size, LIMITS, left) <= allowed
