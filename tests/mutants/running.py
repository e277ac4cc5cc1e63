"""Sends mutants through a real probe, and what it accepts to the second opinion."""

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from services.verifier.examine import Prober
from services.verifier.facts import Verdict
from services.verifier.supervise import OwnProbe, start_probe
from tests.mutants.making import Mutant, mutant

AGAIN = Path(__file__).with_name("again.py")
CALLERS = 2
MEMORY_BYTES = 512 * 2**20
SECONDS = 20.0
LATE_SECONDS = 5.0
"""How much later than its limit a verdict may come on a busy machine."""
GAPS = ("forbidden", "no valid answer", "ended without an answer")
"""Verdicts that a damaged file must not bring about: they are gaps in the confinement or in the checks."""


@dataclass(frozen=True)
class Result:
    """What became of one mutant; `fault` is what must not be."""

    mutant: Mutant
    verdict: Verdict
    seconds: float
    fault: str = ""

    @property
    def is_death(self) -> bool:
        """Whether the child ended without a verdict of its own."""
        return self.verdict.reason is not None and self.verdict.check is None


class SecondOpinion:
    """The program that decodes again; one file at a time."""

    def __init__(self) -> None:
        command = [sys.executable, str(AGAIN)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, kind: str, path: Path) -> str:
        """`ok`, or what went wrong."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{kind}\t{path}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n") or "the second opinion is gone"

    def close(self) -> None:
        """End it."""
        self.process.communicate("")


class Course:
    """A probe and its folder, with a second opinion for each caller."""

    def __init__(self, probe: OwnProbe, folder: Path, prober: Prober, opinions: "SimpleQueue[SecondOpinion]") -> None:
        self.probe, self._folder, self._prober, self._opinions = probe, folder, prober, opinions
        self._pid = probe.pid

    def run(self, tried: Mutant) -> Result:
        """Examine one mutant."""
        path = self._folder / f"mutant-{tried.number}"
        path.write_bytes(tried.data)
        began = time.monotonic()
        try:
            verdict = self._prober.examine(path.name, tried.promised)
            seconds = time.monotonic() - began
            return Result(tried, verdict, seconds, self._fault(verdict, seconds, path))
        finally:
            path.unlink()

    def _fault(self, verdict: Verdict, seconds: float, path: Path) -> str:
        if self.probe.pid != self._pid:
            return "the probe ended and was started again"
        if seconds > SECONDS + LATE_SECONDS:
            return f"no verdict for {seconds:.1f} s"
        if any(gap in verdict.detail for gap in GAPS):
            return verdict.detail
        return self._again(verdict, path)

    def _again(self, verdict: Verdict, path: Path) -> str:
        if verdict.facts is None:
            return ""
        opinion = self._opinions.get()
        try:
            is_json = verdict.facts.content_type == "application/json"
            said = opinion.ask("json" if is_json else verdict.facts.kind, path)
        finally:
            self._opinions.put(opinion)
        return "" if said == "ok" else f"accepted as {verdict.facts.container}, and does not decode: {said}"


@contextmanager
def course() -> Iterator[Course]:
    """A running probe with all that belongs to it."""
    with TemporaryDirectory(prefix="mutants") as home, ExitStack() as stack:
        folder, socket = Path(home) / "files", Path(home) / "socket"
        folder.mkdir()
        probe = start_probe(socket, folder, memory_bytes=MEMORY_BYTES, seconds=SECONDS, children=CALLERS)
        stack.callback(probe.stop)
        opinions = SimpleQueue[SecondOpinion]()
        for _ in range(CALLERS):
            opinions.put(opinion := SecondOpinion())
            stack.callback(opinion.close)
        yield Course(probe, folder, Prober(socket, patience=2 * SECONDS), opinions)


def run_all(seed: int, numbers: Iterable[int]) -> Iterator[Result]:
    """The results in order. Raises ProbeAway as soon as the probe does not answer."""
    with course() as here, ThreadPoolExecutor(CALLERS) as callers:
        yield from callers.map(lambda number: here.run(mutant(seed, number)), numbers)
