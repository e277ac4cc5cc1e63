"""Counting of the questions to providers, by what came of them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from shared.errors import Failure
from shared.providers.registry import Registry
from shared.reasons import Reason
from shared.telemetry import metrics

OUTCOMES: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.JOB_RECORD_GONE: "gone",
        Reason.RATE_LIMITED: "limited",
        Reason.CREDENTIAL_REFUSED: "refused",
        Reason.CREDENTIAL_MISSING: "refused",
    }
)
"""What a failure counts as; every other one as failed."""


class Calls:
    """Counts the questions of one kind."""

    def __init__(self, call: Literal["poll", "refresh"], registry: Registry) -> None:
        self._call = call
        self._registry = registry
        metrics.PROVIDER_CALLS.admit(provider=registry.all_counted())

    def count(self, provider: str, failure: Failure | None = None) -> None:
        """Count one that was answered, or failed."""
        outcome = OUTCOMES.get(failure.reason, "failed") if failure else "answered"
        metrics.PROVIDER_CALLS.add(provider=self._registry.counted_as(provider), call=self._call, outcome=outcome)
