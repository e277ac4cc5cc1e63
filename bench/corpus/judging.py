"""Whether a file of a corpus got the verdict that it must get."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.corpus.manifest import Entry
from services.verifier.facts import REASONS
from shared.reasons import Reason
from shared.states import State

SECONDS, PEAK_BYTES = 10.0, 512 * 2**20
"""What the verification of a `bounded` file may take."""
ROUNDING = 0.005
"""Half of the last digit of a fraction in a manifest."""
OF_THE_BYTES = REASONS | {
    Reason.ERROR_BODY,
    Reason.EMPTY_BODY,
    Reason.SIZE_MISMATCH,
    Reason.DECLARED_MISMATCH,
    Reason.EXPECTATION_MISMATCH,
    Reason.INFECTED,
}
"""Reasons that refuse a file for what its bytes are; with any other one nothing was judged."""


@dataclass(frozen=True)
class Found:
    """What became of a file: how its task ended, None for one that came to no end, and what was measured.

    `seconds` is the longest claim of the verifier on it, from claim to record; `peak_bytes` the largest resident set
    of a child of the probe that examined it. Both are None where the downloader refused it already.
    """

    state: str | None
    reason: str | None = None
    sha256: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    detail: str = ""
    seconds: float | None = None
    peak_bytes: int | None = None

    @property
    def verdict(self) -> str:
        """`accept`, `reject`, or what else became of it."""
        if self.state == State.COMPLETE:
            return "accept"
        return "reject" if self.reason in OF_THE_BYTES and self.state == State.NEEDS_ATTENTION else "none"


def differences(wanted: Entry, found: Found) -> list[str]:
    """What is not as the manifest says; empty if all is."""
    if found.verdict == "none":
        return [f"no verdict, but {found.state or 'no end'}{f': {found.reason}' if found.reason else ''}"]
    if wanted.verdict == "bounded":
        return _beyond(found)
    if found.verdict != wanted.verdict:
        return [f"{found.verdict} in place of {wanted.verdict}"]
    if found.verdict == "reject":
        named = wanted.reason and wanted.reason != found.reason
        return [f"{found.reason} in place of {wanted.reason}"] if named else []
    stored = [] if found.sha256 == wanted.sha256 else ["the asset has another digest than the file"]
    return [*stored, *_other_facts(wanted.stated, found.facts)]


def _other_facts(stated: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    """The stated facts that are others; a picture may be stated as it is coded or as it is shown."""
    turned = {**facts, "width": facts.get("height"), "height": facts.get("width")}
    has = turned if all(_is(turned[side], stated.get(side)) for side in ("width", "height")) else facts
    return [
        f"{name} is {has.get(name)}, not {value}" for name, value in stated.items() if not _is(has.get(name), value)
    ]


def _is(has: object, stated: object) -> bool:
    """Whether a fact is the stated one; a number is if it rounds to it."""
    if isinstance(has, float) and isinstance(stated, int | float):
        return abs(has - stated) <= (0.5 if isinstance(stated, int) else ROUNDING)
    return has == stated


def _beyond(found: Found) -> list[str]:
    """The limits that a `bounded` file went beyond."""
    untold = found.seconds is not None and found.peak_bytes is None
    slow, large = (found.seconds or 0.0) > SECONDS, (found.peak_bytes or 0) > PEAK_BYTES
    return [
        *(["its memory is not told"] if untold else []),
        *([f"it took more than {SECONDS:.0f} s"] if slow else []),
        *([f"it took more than {PEAK_BYTES // 2**20} MiB"] if large else []),
    ]
