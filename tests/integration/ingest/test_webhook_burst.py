"""Drill: a burst of webhooks to an ingest whose database is far away. OUTLAST_DRILLS=full runs it at full size."""

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import quantiles
from time import monotonic

import pytest

from services.ingest.webhooks.receive import FOLLOWERS
from tests.faults.sender import Delivery, deliver_all
from tests.system.conftest import System, forks, no_log_tells_a_link, source, sweep, system, unswept, until
from tests.system.hooks import Hooks, hooks_of, way_to

__all__ = ["forks", "no_log_tells_a_link", "source", "sweep", "system", "unswept"]

FULL = os.environ.get("OUTLAST_DRILLS") == "full"
WEBHOOKS, PER_SECOND = (2000, 200.0) if FULL else (150, 75.0)
ROUND_TRIP_SECONDS = 0.2
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'outlast-ingest' AND state = 'idle'"
WAITS = (1, 2, 4, 8, 16, 32, 64)
"""As senders do; Standard Webhooks goes on for days."""
MOST_SECONDS = 1.0 if FULL else 3.0
"""For the 99th percentile; a sample runs beside other tests."""

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def hooks(system: System) -> Iterator[Hooks]:
    with hooks_of(system) as found:
        yield found


def test_fr43_a_burst_loses_nothing_and_every_answer_comes_in_a_second(hooks: Hooks) -> None:
    with way_to(hooks.system.database.url("outlast_ingest")) as (way, url):
        hooks.start(doors="webhooks", OUTLAST_DATABASE_URL=url, OUTLAST_LOG_LEVEL="info", OUTLAST_TRACES="off")
        # The service has been there for a while.
        until(lambda: hooks.system.rows(CONNECTIONS)[0][0] >= FOLLOWERS, "its connections are open")
        way.delay = ROUND_TRIP_SECONDS
        postings = [
            hooks.posting({"id": f"j-{number}", "status": "succeeded", "outputs": [hooks.provider.link(f"{number}")]})
            for number in range(WEBHOOKS)
        ]
        began = monotonic()
        with ProcessPoolExecutor(1, get_context("spawn")) as senders:
            # In a process of its own, so that the answers wait for nobody here.
            found = senders.submit(deliver_all, postings, per_second=PER_SECOND, waits=WAITS).result()
        figures = describe(found, monotonic() - began)
        print(figures)
        assert all(delivery.is_taken for delivery in found)
        assert {status for delivery in found for status in delivery.statuses} <= {200, 503}
        assert hooks.system.rows("SELECT count(*), count(DISTINCT job_id) FROM tasks") == [(WEBHOOKS, WEBHOOKS)]
        assert hooks.counted("stored") == WEBHOOKS
        assert p99(found) < MOST_SECONDS, figures


def p99(found: list[Delivery]) -> float:
    """The 99th percentile of the seconds that an answer took."""
    return quantiles([seconds for delivery in found for seconds in delivery.seconds], n=100)[98]


def describe(found: list[Delivery], seconds: float) -> str:
    """The figures of a burst."""
    answers = sorted(seconds for delivery in found for seconds in delivery.seconds)
    statuses = Counter(status for delivery in found for status in delivery.statuses)
    tries = Counter(len(delivery.statuses) for delivery in found)
    return (
        f"{len(found)} webhooks at {PER_SECOND:.0f}/s, round trip {ROUND_TRIP_SECONDS} s: over after {seconds:.1f} s; "
        f"answers p50 {answers[len(answers) // 2]:.3f} s, p99 {p99(found):.3f} s, most {answers[-1]:.3f} s; "
        f"statuses {dict(statuses)}, tries {dict(sorted(tries.items()))}"
    )
