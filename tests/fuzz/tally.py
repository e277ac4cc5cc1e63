"""Counts of many outcomes."""

from collections import Counter
from dataclasses import dataclass, field

MOST_FAULTS = 20
"""Faults that are shown in full."""


@dataclass
class Tally:
    """What became of the cases of one kind; `faults` holds what did not hold, with the cases' names."""

    words: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "none")
    faults: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many cases ended as they should."""
        return self.words.total()

    def add(self, other: "Tally") -> None:
        """Add the counts of another."""
        self.words += other.words
        self.connections += other.connections
        self.slowest = max(self.slowest, other.slowest)
        self.faults += other.faults

    def line(self) -> str:
        """The counts in one line."""
        words = ", ".join(f"{number:,} {word}" for word, number in self.words.most_common())
        return f"{self.done:,}: {words}; slowest {self.slowest[0]:.2f} s ({self.slowest[1]})"
