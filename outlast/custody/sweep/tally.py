"""The count of a sweep: things and bytes by step and fate."""

from collections import Counter
from dataclasses import dataclass, field

from outlast.custody.sweep.ground import Fate, Found, Step


@dataclass
class Tally:
    """How many things of each step came to each fate, and their bytes together."""

    things: Counter[tuple[Step, Fate]] = field(default_factory=Counter)
    size: Counter[tuple[Step, Fate]] = field(default_factory=Counter)

    def add(self, found: Found) -> None:
        """Count one."""
        self.things[found.step, found.fate] += 1
        self.size[found.step, found.fate] += found.size

    def of(self, fate: Fate) -> int:
        """Things of all steps with this fate."""
        return sum(count for (_, one), count in self.things.items() if one is fate)

    def told(self) -> dict[str, dict[str, dict[str, int]]]:
        """JSON-ready: step, fate, count and bytes."""
        told: dict[str, dict[str, dict[str, int]]] = {}
        for (step, fate), count in self.things.items():
            told.setdefault(str(step), {})[str(fate)] = {"count": count, "bytes": self.size[step, fate]}
        return told
