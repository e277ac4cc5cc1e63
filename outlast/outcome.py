"""What a processor is told in place of a run: the last word on an asset, or who works on it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from outlast.result import Result


class Outcome(StrEnum):
    """How the processing of an asset ended."""

    COMPLETED = "completed"
    REJECTED = "rejected"
    FAILED = "failed"


@dataclass(frozen=True)
class Finished:
    """The last word on an asset and a version of a processor.

    `result` is there when it is completed, `reason` (one word) and `detail` when it is rejected or failed.
    `adopted`: the result was found at its key, where a run had put it that was stopped before its record.
    """

    outcome: Outcome
    result: Result | None = None
    reason: str | None = None
    detail: str | None = None
    adopted: bool = False


@dataclass(frozen=True)
class RunningElsewhere:
    """Another run holds the lease, which ends in `seconds` unless it is renewed."""

    until: datetime
    seconds: float
    worker: str
