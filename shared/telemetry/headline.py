"""The headline: figures of the whole system that only the database knows, read when somebody scrapes."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import structlog
from prometheus_client.core import GaugeMetricFamily

from shared.states import FINAL, State
from shared.telemetry.register import OTHER, Declared, Register

CACHE_SECONDS = 5.0
WAIT_SECONDS = 2.0
"""How long a scrape waits for another one that is reading."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class HeadlineFigures:
    """What the database says; None where there is nothing to measure.

    Lives are in seconds, by provider: the shortest so far, and the 5th percentile of 24 hours. `tasks_by_state` may
    leave states out: an open one then counts 0, a final one is not shown. `clock_offset_seconds` is how far the
    database's clock is ahead of this process's.
    """

    outputs_waiting: int
    oldest_ready_seconds: float | None
    tasks_at_risk: int
    shortest_lives: Mapping[str, float]
    usual_lives: Mapping[str, float]
    tasks_by_state: Mapping[str, int]
    complete_without_uri: int
    clock_offset_seconds: float


Read = Callable[[], HeadlineFigures]


class Headline:
    """Collector of the headline: nothing without a source, `outlast_headline_up 0` with one that fails."""

    def __init__(self, register: Register, clock: Callable[[], float] = time.monotonic) -> None:
        gauge = register.computed
        self._up = gauge("outlast_headline_up", "1 when the figures of the database could be read, else 0.")
        self._waiting = gauge("outlast_outputs_waiting", "Outputs that are ready and not yet fully transferred.")
        self._oldest = gauge(
            "outlast_oldest_output_ready_seconds",
            "Time since the oldest of the waiting outputs became ready.",
        )
        self._at_risk = gauge(
            "outlast_tasks_at_risk",
            "Outputs without any byte here whose link's life, known or guessed, is nearly over.",
        )
        self._shortest = gauge(
            "outlast_shortest_link_life_seconds", "Shortest life that a link was seen to have so far.", provider=()
        )
        self._usual = gauge(
            "outlast_usual_short_link_life_seconds",
            "5th percentile of the lives of links seen in 24 hours, rounded down by up to a tenth.",
            provider=(),
        )
        self._ratio = gauge(
            "outlast_backlog_age_to_life_ratio",
            "Age of the oldest waiting output over the shortest link life.",
        )
        self._without_uri = gauge(
            "outlast_complete_without_uri",
            "Stored or complete tasks without a durable URI: 0, or rules are broken.",
        )
        self._tasks = gauge("outlast_tasks", "Tasks in each state; final states as far as counted.", state=State)
        self._offset = gauge(
            "outlast_database_clock_offset_seconds",
            "How far the database's clock is ahead of this process's, or behind if negative.",
        )
        self._clock = clock
        self._reading = threading.Lock()
        self._read: Read | None = None
        self._known: tuple[float, list[GaugeMetricFamily]] | None = None
        register.attach(self)

    def read_from(self, read: Read) -> None:
        """From now on figures come from `read`, asked once in CACHE_SECONDS; it needs a time limit."""
        self._read = read
        self._known = None

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The figures, or only that there are none."""
        if self._read is not None:
            yield from self._recent(self._read) or [_gauge(self._up, 0)]

    def _recent(self, read: Read) -> list[GaugeMetricFamily]:
        if not self._reading.acquire(timeout=WAIT_SECONDS):
            return []
        try:
            if self._known is None or self._clock() - self._known[0] >= CACHE_SECONDS:
                families = self._attempt(read)
                self._known = (self._clock(), families)
            return self._known[1]
        finally:
            self._reading.release()

    def _attempt(self, read: Read) -> list[GaugeMetricFamily]:
        try:
            return list(self._families(read()))
        except Exception as error:  # noqa: BLE001 (whatever the reader raises, the scrape goes on and shows it)
            log.warning("headline_unread", error=error)
            return []

    def _families(self, figures: HeadlineFigures) -> Iterator[GaugeMetricFamily]:
        age = figures.oldest_ready_seconds or 0.0
        yield _gauge(self._up, 1)
        yield _gauge(self._waiting, figures.outputs_waiting)
        yield _gauge(self._oldest, age)
        yield _gauge(self._at_risk, figures.tasks_at_risk)
        yield _by_provider(self._shortest, figures.shortest_lives)
        yield _by_provider(self._usual, figures.usual_lives)
        if (life := min(figures.shortest_lives.values(), default=None)) is not None:
            yield _gauge(self._ratio, age / life if life > 0 else math.inf if age > 0 else 0)
        yield _gauge(self._without_uri, figures.complete_without_uri)
        yield self._by_state(figures.tasks_by_state)
        yield _gauge(self._offset, figures.clock_offset_seconds)

    def _by_state(self, tasks: Mapping[str, int]) -> GaugeMetricFamily:
        counts = Counter({str(state): 0 for state in State if state not in FINAL})
        for state, number in tasks.items():
            counts[state if state in self._tasks.labels["state"] else OTHER] += number
        family = GaugeMetricFamily(self._tasks.name, self._tasks.meaning, labels=["state"])
        for state, number in counts.items():
            family.add_metric([state], number)
        return family


def _by_provider(declared: Declared, figures: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(declared.name, declared.meaning, labels=["provider"])
    for provider, figure in figures.items():
        family.add_metric([provider], float(figure))
    return family


def _gauge(declared: Declared, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(declared.name, declared.meaning, value=float(value))
