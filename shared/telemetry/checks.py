"""Whether a process is alive or ready: a question that always has an answer."""

import threading
from collections.abc import Callable

import structlog

from shared.redaction import redact

WAIT_SECONDS = 2.0
"""How long one asks while an earlier question has no answer."""

log = structlog.get_logger(__name__)

Problems = Callable[[], list[str]]
"""What is wrong, a sentence each; nothing when all is well."""


class Check:
    """One named check; a question that raises or hangs is a problem like any other."""

    def __init__(self, name: str, ask: Problems) -> None:
        self._name = name
        self._ask = ask
        self._asking = threading.Lock()

    def problems(self) -> list[str]:
        """What is wrong, each on one line and safe to show."""
        if not self._asking.acquire(timeout=WAIT_SECONDS):
            return [f"an earlier {self._name} check has not ended"]
        try:
            return [" ".join(redact(problem).split()) for problem in self._ask()]
        except Exception as error:  # noqa: BLE001 (whatever it raises is the answer)
            log.warning("check_failed", check=self._name, error=error)
            return [f"the {self._name} check failed: {redact(error)}"]
        finally:
            self._asking.release()
