"""Spans of time, printed and read."""

from datetime import UTC, datetime, timedelta

import pytest

from outlast.cli.spans import instant_of, since_of, span
from shared.errors import UsageError


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.0404, "40 ms"),
        (1.44, "1.4 s"),
        (12.4, "12 s"),
        (119.4, "119 s"),
        (180, "3 min"),
        (7199, "120 min"),
        (7200, "2 h"),
        (172_800, "2 d"),
        (-180, "-3 min"),
    ],
)
def test_a_span_is_told_in_the_unit_that_fits_it(seconds: float, words: str) -> None:
    assert span(seconds) == words


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("12h", 43200), ("7d", 604_800)])
def test_since_a_span_ago(text: str, seconds: int) -> None:
    found = since_of("--since", text)
    assert found is not None
    assert abs((datetime.now(UTC) - found) - timedelta(seconds=seconds)) < timedelta(seconds=5)


def test_an_instant_needs_its_zone() -> None:
    assert since_of("--since", "2026-12-01T10:00:00+01:00") == datetime(2026, 12, 1, 9, tzinfo=UTC)
    assert instant_of("--at", None) is since_of("--since", None) is None
    for wrong in ("2026-12-01T10:00:00", "yesterday", "7w", "-7d", "7", ""):
        with pytest.raises(UsageError, match="--since"):
            since_of("--since", wrong)
