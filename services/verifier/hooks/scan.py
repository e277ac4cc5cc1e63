"""The malware scan: every proven file goes through clamd; what clamd does not scan whole waits for a person."""

import re
from collections.abc import Mapping

from services.verifier.hooks import Opinion, Subject
from services.verifier.hooks.clamd import Clamd, trouble
from shared.errors import Failure
from shared.reasons import Reason

CLEAN = "stream: OK"
NOT_SCANNED = "not_scanned"
"""The flag of a file that was released although nothing scanned it whole."""

_FOUND = re.compile(r"stream: (.*) FOUND", re.S)
_OVER_A_LIMIT = "Heuristics.Limits.Exceeded"
"""How clamd names what it did not look at, with `AlertExceedsMax yes`."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


class Scan:
    """Asks a clamd about files of at most `most_bytes`."""

    name = "scan"

    def __init__(self, clamd: Clamd, most_bytes: int) -> None:
        self._clamd, self._most_bytes = clamd, most_bytes

    def check(self) -> None:
        """Raise Failure(SCANNER) while it does not answer."""
        self._clamd.ping()

    def judge(self, subject: Subject) -> Opinion:
        """Clean, or held where it was not scanned whole. Raises Failure: INFECTED, or SCANNER for a fault of clamd."""
        evidence = {"engine": self._clamd.version()}
        if subject.path.stat().st_size > self._most_bytes:
            return _not_scanned(evidence, "larger than OUTLAST_CLAMD_BYTES")
        reply = self._clamd.scan(subject.path)
        if reply == CLEAN:
            return Opinion(evidence=evidence)
        if "size limit exceeded" in reply:
            return _not_scanned(evidence, "larger than clamd's StreamMaxLength")
        found = _FOUND.fullmatch(reply)
        if found is None:
            raise trouble(reply)
        if found[1].startswith(_OVER_A_LIMIT):
            return _not_scanned(evidence, f"over a limit of clamd: {_word(found[1])}")
        raise Failure(Reason.INFECTED, {**evidence, "malware": _word(found[1])})


def _not_scanned(evidence: Mapping[str, object], why: str) -> Opinion:
    # Neither clean nor infected, and no other try would tell.
    return Opinion(hold=True, flags=(NOT_SCANNED,), evidence={**evidence, "detail": f"not scanned: {why}"})


def _word(name: str) -> str:
    """A signature's name as one bounded word, whoever wrote the signature."""
    return _UNSAFE.sub("_", name)[:100]
