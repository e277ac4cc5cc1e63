"""How long one transfer may take: by its size, and by the life of its source."""

from services.downloader.order import Limits

UNSCALED_BYTES = 2**30
"""Bytes up to which the total time is the same."""


def most_seconds(size: int | None, limits: Limits, until_deletion: float | None) -> float:
    """Seconds from its first answer that a transfer may take.

    `size` is the announced one in bytes, None if unknown: a larger body gets more time in proportion; a smaller
    one not less, as the pace ends it sooner. What our own limit of the rate costs comes on top.
    `until_deletion` is how far ahead in seconds the source deletes the bytes, None if it does not: a signed link
    only has to start in time, and it has, but these bytes must also arrive in time. A deletion that lies behind was
    not so, as the source still answered.
    """
    expected = size or 0
    allowed = limits.total_seconds * max(1.0, expected / UNSCALED_BYTES) + expected / limits.share_bytes_per_second
    if until_deletion is None or until_deletion <= 0:
        return allowed
    return min(allowed, until_deletion + limits.overtime_seconds)
