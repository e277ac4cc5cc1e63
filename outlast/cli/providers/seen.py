"""What an answer of a provider says, in values that may be shown: no link is among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class SeenOutput:
    """One output; `fault` says why nothing can be fetched, and then `way` is empty."""

    output_id: str
    task_id: UUID | None
    kind: str | None = None
    way: str = ""
    """Where its bytes come from: `link`, `data link`, `content endpoint`, or `fresh link`, which is asked for."""
    host: str | None = None
    path_sha256: str | None = None
    """Of the link's path; the link itself is a credential."""
    is_listed: bool | None = None
    """Whether the entry lists the link's host; None where it lists none, so that any public host will do."""
    needs_key: bool = False
    """Whether the link lies on the provider's API, so that it gets the key."""
    ready_at: datetime | None = None
    expires_at: datetime | None = None
    expires_from: str = "none"
    confidence: str = "unknown"
    deadline: datetime | None = None
    """The last instant at which any known way can give the bytes."""
    fault: str | None = None


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A whole answer, as the table `read_as` of the entry reads it."""

    provider: str
    read_as: str
    said: str
    word: str = ""
    job_id: str | None = None
    model: str | None = None
    completed_at: datetime | None = None
    code: str | None = None
    message: str | None = None
    outputs: Sequence[SeenOutput] = ()
    notes: Sequence[str] = ()
    next: str
    """What Outlast does then, or what is to be mended in the entry."""
    is_understood: bool
    """Whether it says how the job stands, and of a finished one gives at least one output to fetch."""
