"""The time between attempts to reach the broker."""

import random

FIRST_SECONDS = 0.1


def delay(failures: int, most: float) -> float:
    """Seconds to wait after so many failures in a row: doubling up to `most`, with jitter."""
    bound = min(most, FIRST_SECONDS * 2 ** min(failures, 16))
    return random.uniform(bound / 2, bound)  # noqa: S311 (jitter, not a secret)
