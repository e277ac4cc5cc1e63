"""The register: every metric is declared once, with its meaning and the only values its labels may take."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import prometheus_client
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.registry import Collector, CollectorRegistry

OTHER = "other"
"""What a label shows in place of a value that is not declared."""

_NAME = re.compile(r"outlast_[a-z][a-z0-9_]*[a-z]")
# The time at which a series began would double every counter, and nobody asks for it.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no hint here

Metric = TypeVar("Metric", bound=MetricWrapperBase)


@dataclass(frozen=True)
class Declared:
    """One metric as its readers see it."""

    name: str
    kind: str
    meaning: str
    labels: dict[str, tuple[str, ...]]

    def values(self, labels: Mapping[str, str]) -> list[str]:
        """The values in the order of the labels, an undeclared one as `other`.

        Raises ValueError when the names are not the declared ones.
        """
        if labels.keys() != self.labels.keys():
            raise ValueError(f"{self.name} has the labels {list(self.labels)}, not {list(labels)}")
        return [str(labels[name]) if labels[name] in known else OTHER for name, known in self.labels.items()]


@dataclass(frozen=True)
class _Series(Generic[Metric]):
    declared: Declared
    metric: Metric

    def _child(self, labels: Mapping[str, str]) -> Metric:
        values = self.declared.values(labels)
        return self.metric.labels(*values) if values else self.metric


class Counter(_Series[prometheus_client.Counter]):
    """A number of happenings, which only grows."""

    def admit(self, **labels: Iterable[str]) -> None:
        """Let labels take further values, which only the start of a process knows; their series are there from now on.

        Raises ValueError when a name is not a declared one.
        """
        if not labels.keys() <= self.declared.labels.keys():
            raise ValueError(f"{self.declared.name} has the labels {list(self.declared.labels)}, not {list(labels)}")
        for label, values in labels.items():
            self.declared.labels[label] = tuple(dict.fromkeys([*self.declared.labels[label], *map(str, values)]))
        _with_all_series(self.metric, self.declared)

    def add(self, amount: float = 1, /, **labels: str) -> None:
        """Count `amount` more. Raises ValueError when it is negative."""
        self._child(labels).inc(amount)


class Gauge(_Series[prometheus_client.Gauge]):
    """A figure of this moment."""

    def set(self, value: float, /, **labels: str) -> None:
        """The figure is now `value`."""
        self._child(labels).set(value)

    def add(self, amount: float, /, **labels: str) -> None:
        """The figure is now `amount` more, or less if negative."""
        self._child(labels).inc(amount)


class Histogram(_Series[prometheus_client.Histogram]):
    """How figures are spread."""

    def observe(self, value: float, /, **labels: str) -> None:
        """Take one figure in."""
        self._child(labels).observe(value)


class Register:
    """All metrics of one process; the values of a label are declared, and any other becomes `other`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.declared: dict[str, Declared] = {}

    def counter(self, name: str, meaning: str, **labels: Iterable[str]) -> Counter:
        """Declare a counter, whose name ends in `_total`."""
        found = self._declare(name, "counter", meaning, labels)
        metric = prometheus_client.Counter(name, meaning, list(found.labels), registry=self.registry)
        return Counter(found, _with_all_series(metric, found))

    def gauge(self, name: str, meaning: str, **labels: Iterable[str]) -> Gauge:
        """Declare a gauge that is set as things happen."""
        found = self._declare(name, "gauge", meaning, labels)
        metric = prometheus_client.Gauge(name, meaning, list(found.labels), registry=self.registry)
        return Gauge(found, _with_all_series(metric, found))

    def histogram(self, name: str, meaning: str, buckets: Sequence[float]) -> Histogram:
        """Declare a histogram with the upper bounds `buckets`."""
        found = self._declare(name, "histogram", meaning, {})
        return Histogram(found, prometheus_client.Histogram(name, meaning, registry=self.registry, buckets=buckets))

    def computed(self, name: str, meaning: str, **labels: Iterable[str]) -> Declared:
        """Declare a gauge whose figure an attached collector computes at each scrape."""
        return self._declare(name, "gauge", meaning, labels)

    def attach(self, collector: Collector) -> None:
        """Let `collector` fill in, at each scrape, metrics that are declared with `computed`."""
        self.registry.register(collector)

    def render(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return prometheus_client.generate_latest(self.registry)

    def _declare(self, name: str, kind: str, meaning: str, labels: Mapping[str, Iterable[str]]) -> Declared:
        if name in self.declared:
            raise ValueError(f"{name} is declared twice")
        if not _NAME.fullmatch(name) or name.endswith("_total") != (kind == "counter"):
            raise ValueError(f"{name} is no good name for a {kind}")
        known = {label: tuple(str(value) for value in values) for label, values in labels.items()}
        self.declared[name] = Declared(name, kind, meaning, known)
        return self.declared[name]


def _with_all_series(metric: Metric, declared: Declared) -> Metric:
    """The metric with all its series there from the start: a rate is blind to a new one's first count."""
    for values in itertools.product(*declared.labels.values()) if declared.labels else ():
        metric.labels(*values)
    return metric
