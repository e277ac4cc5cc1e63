"""The states of a task and every edge between them, equal to the database's own table."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a task stands; a task is in exactly one state."""

    GENERATING = "generating"
    OUTPUT_READY = "output_ready"
    DOWNLOADING = "downloading"
    DOWNLOAD_RETRY = "download_retry"
    VERIFYING = "verifying"
    PROMOTING = "promoting"
    STORED = "stored"
    COMPLETE = "complete"
    NEEDS_ATTENTION = "needs_attention"
    ABANDONED = "abandoned"


class Role(StrEnum):
    """The Postgres roles that may move a task."""

    INGEST = "outlast_ingest"
    DOWNLOADER = "outlast_downloader"
    VERIFIER = "outlast_verifier"
    PROMOTER = "outlast_promoter"
    OPERATOR = "outlast_operator"


class Stage(StrEnum):
    """A kind of leased work: the columns `stage` and `lane` of a task follow from its state."""

    DOWNLOAD = "download"
    VERIFY = "verify"
    PROMOTE = "promote"


NEW = "new"
"""The `from_state` of a birth."""

FINAL = frozenset({State.COMPLETE, State.ABANDONED})


@dataclass(frozen=True, order=True)
class Edge:
    """One allowed change: `role` may move a task from `from_state` to `to_state`."""

    from_state: str
    to_state: str
    role: str


def _edges(role: Role, *pairs: tuple[str, str]) -> frozenset[Edge]:
    return frozenset(Edge(str(start), str(end), str(role)) for start, end in pairs)


S = State
EDGES: frozenset[Edge] = (
    _edges(
        Role.INGEST,
        (NEW, S.GENERATING),
        (NEW, S.OUTPUT_READY),
        (NEW, S.ABANDONED),
        (S.GENERATING, S.GENERATING),
        (S.GENERATING, S.OUTPUT_READY),
        (S.GENERATING, S.NEEDS_ATTENTION),
        (S.GENERATING, S.ABANDONED),
        (S.OUTPUT_READY, S.OUTPUT_READY),
        (S.DOWNLOADING, S.DOWNLOADING),
        (S.DOWNLOAD_RETRY, S.DOWNLOAD_RETRY),
        (S.COMPLETE, S.COMPLETE),
        (S.NEEDS_ATTENTION, S.NEEDS_ATTENTION),
        (S.NEEDS_ATTENTION, S.OUTPUT_READY),
        (S.ABANDONED, S.OUTPUT_READY),
    )
    | _edges(
        Role.DOWNLOADER,
        (S.OUTPUT_READY, S.DOWNLOADING),
        (S.DOWNLOADING, S.DOWNLOADING),
        (S.DOWNLOADING, S.DOWNLOAD_RETRY),
        (S.DOWNLOADING, S.VERIFYING),
        (S.DOWNLOADING, S.NEEDS_ATTENTION),
        (S.DOWNLOADING, S.ABANDONED),
        (S.DOWNLOAD_RETRY, S.DOWNLOAD_RETRY),
        (S.DOWNLOAD_RETRY, S.DOWNLOADING),
    )
    | _edges(
        Role.VERIFIER,
        (S.VERIFYING, S.VERIFYING),
        (S.VERIFYING, S.PROMOTING),
        (S.VERIFYING, S.DOWNLOAD_RETRY),
        (S.VERIFYING, S.NEEDS_ATTENTION),
    )
    | _edges(
        Role.PROMOTER,
        (S.PROMOTING, S.PROMOTING),
        (S.PROMOTING, S.STORED),
        (S.PROMOTING, S.DOWNLOAD_RETRY),
        (S.PROMOTING, S.NEEDS_ATTENTION),
        (S.STORED, S.STORED),
        (S.STORED, S.COMPLETE),
        (S.STORED, S.NEEDS_ATTENTION),
        (S.COMPLETE, S.COMPLETE),
        (S.NEEDS_ATTENTION, S.NEEDS_ATTENTION),
    )
    | _edges(
        Role.OPERATOR,
        (S.NEEDS_ATTENTION, S.GENERATING),
        (S.NEEDS_ATTENTION, S.OUTPUT_READY),
        (S.NEEDS_ATTENTION, S.VERIFYING),
        (S.NEEDS_ATTENTION, S.PROMOTING),
        (S.NEEDS_ATTENTION, S.ABANDONED),
        (S.GENERATING, S.ABANDONED),
        (S.OUTPUT_READY, S.ABANDONED),
        (S.DOWNLOAD_RETRY, S.ABANDONED),
    )
)
"""Self-edges stand for claim, renew, release, wake, announce, and a source added."""
