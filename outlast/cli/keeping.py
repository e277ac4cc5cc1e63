"""The lines of a story about what is kept: refused bytes, and an asset that was looked at again."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.rejected import SeenRejected
    from shared.db.story import Story


def kept_lines(story: "Story") -> Iterator[tuple[datetime, str]]:
    """Each with its instant; of the assets that were looked at again only what differs."""
    for rejected in story.rejected:
        yield rejected.rejected_at, f"  {_bytes(rejected)}"
    for seen in story.reverifications:
        if seen.verdict != "same":
            found = ", ".join(filter(None, (seen.reason, seen.detail)))
            yield seen.checked_at, f"looked at again: {seen.verdict}{f': {found}' if found else ''}"
            yield seen.checked_at, f"  by {seen.verifier_version}"


def _bytes(rejected: "SeenRejected") -> str:
    size = f"its {rejected.size:,} bytes"
    if rejected.purged_at:
        return f"{size} are purged"
    if rejected.in_use:
        return f"{size} are in use again"
    return f"{size} are kept until {rejected.keep_until.astimezone(UTC):%Y-%m-%d}, see outlast rejected"
