"""The hooks behind the checks: what an operator's own scanner and reviewer say about a file that is proven."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from services.verifier.facts import Facts
from shared.errors import Failure
from shared.tasks.claims import Claim
from shared.telemetry import metrics


@dataclass(frozen=True)
class Subject:
    """A proven file: its local copy, its digest in hex, and its facts; `stopping` says that nobody waits any more."""

    claim: Claim
    path: Path
    sha256: str
    facts: Facts
    stopping: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Opinion:
    """What is said of a file that is not refused: whether a person must look first, flags for consumers, evidence."""

    hold: bool = False
    flags: tuple[str, ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)

    def then(self, name: str, other: "Opinion") -> "Opinion":
        """Both together, the evidence of the other one under its name; one that holds is enough."""
        flags = tuple(dict.fromkeys((*self.flags, *other.flags)))
        return Opinion(self.hold or other.hold, flags, {**self.evidence, name: dict(other.evidence)})


class Hook(Protocol):
    """One of the operator's services."""

    name: str

    def check(self) -> None:
        """Raise Failure while it is known to be away."""

    def judge(self, subject: Subject) -> Opinion:
        """Its opinion. Raises Failure: with a reason of ours while it is away, else because it refuses the file."""


def ask(hooks: Iterable[Hook], subject: Subject) -> Opinion:
    """What all hooks say, asked in their order. Raises the first Failure."""
    opinion = Opinion()
    for hook in hooks:
        opinion = opinion.then(hook.name, _asked(hook, subject))
    return opinion


def _asked(hook: Hook, subject: Subject) -> Opinion:
    try:
        opinion = hook.judge(subject)
    except Failure as failure:
        metrics.HOOKS.add(hook=hook.name, outcome="failed" if failure.reason.is_ours else "refused")
        if failure.reason.is_ours:
            raise
        raise Failure(failure.reason, {"hook": hook.name, **failure.evidence}) from None
    metrics.HOOKS.add(hook=hook.name, outcome="held" if opinion.hold else "passed")
    return opinion
