"""When to try again: back-off with full jitter, cut to what the life of the link leaves."""

from collections.abc import Callable

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 300.0
"""Longest back-off of our own."""
LONGEST_WISH_SECONDS = 3600.0
"""Longest Retry-After that is followed; only this bounds it where the end of the link is unknown."""


def margin(life: float) -> float:
    """Seconds before the end of a link of `life` seconds in which no try is planned: 10 %, from 1 to 60."""
    return min(max(0.1 * life, 1.0), 60.0)


def next_delay(
    tries: int,
    life: float | None,
    remaining: float | None,
    wish: float,
    random: Callable[[], float],
) -> float | None:
    """Seconds to wait after `tries` failed tries before this one; None means: no time left, refresh or stop.

    `life` is the link's whole life and `remaining` what is left of it, None where unknown; `wish` is how long the
    source wants to be left alone; `random` gives numbers from 0 to 1.
    """
    backoff = random() * min(FIRST_SECONDS * 2.0 ** min(tries, 30), LONGEST_SECONDS)
    wanted = max(backoff, min(wish, LONGEST_WISH_SECONDS))
    if remaining is None:
        return wanted
    room = remaining - margin(remaining if life is None else life)
    return min(wanted, room) if room > 0 else None
