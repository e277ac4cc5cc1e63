"""What came out of the transfers, and its figures."""

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.rivals import Run

MIB = 2**20
MB = 1e6
"""What a person calls a megabyte here: a million bytes."""


@dataclass
class Outcome:
    """Runs by tool, ours first, of `size` bytes each, and the peak memory in bytes by bytes transferred."""

    size: int
    versions: Mapping[str, str]
    runs: dict[str, list[Run]]
    source_seconds: float = 0.0
    idle_rss: int = 0
    peak_rss: dict[int, int] = field(default_factory=dict)
    load_before: float = 0.0
    load_after: float = 0.0

    def speeds(self, tool: str) -> list[float]:
        """MB/s of each run of a tool, in order of time."""
        return [self.size / run.seconds / MB for run in self.runs[tool]]

    def speed(self, tool: str) -> float:
        """The median of MB/s."""
        return statistics.median(self.speeds(tool))

    def lead(self) -> float:
        """Our throughput over that of the best rival."""
        ours, *rivals = map(self.speed, self.runs)
        return ours / max(rivals)

    def growth(self) -> float:
        """The largest of our peaks of memory over the smallest."""
        return max(self.peak_rss.values()) / min(self.peak_rss.values())

    def as_json(self) -> dict[str, Any]:
        """The figures by their names."""
        return {
            "throughput_vs_best_rival": round(self.lead(), 3),
            "mb_per_s": {tool: round(self.speed(tool), 1) for tool in self.runs},
            "peak_rss_mb": {_mib(size): round(peak / MB, 1) for size, peak in self.peak_rss.items()},
            "peak_rss_growth": round(self.growth(), 3),
            "idle_rss_mb": round(self.idle_rss / MB, 1),
            "object": _mib(self.size),
            "runs_mb_per_s": {tool: [round(speed, 1) for speed in self.speeds(tool)] for tool in self.runs},
            "cpu_seconds": {tool: round(_cpu(runs), 2) for tool, runs in self.runs.items()},
            "source_alone_mb_per_s": round(self.size / self.source_seconds / MB, 1),
            "load_average": {"before": round(self.load_before, 2), "after": round(self.load_after, 2)},
            "versions": dict(self.versions),
        }

    def write(self, path: Path) -> None:
        """Write the figures to a file."""
        path.write_text(json.dumps(self.as_json(), indent=2) + "\n", encoding="utf-8")


def _cpu(runs: list[Run]) -> float:
    return statistics.median(run.cpu_seconds for run in runs)


def _mib(size: int) -> str:
    return f"{size / MIB:g} MiB"
