"""Runs the verifier service, and a probe of its own where nobody else runs one."""

import tempfile
import time
from pathlib import Path

from services.verifier.examine import ProbeAway, Prober
from services.verifier.handler import COPY_SUFFIX, Verifier
from services.verifier.supervise import OwnProbe, start_probe
from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.service import Service, run_service
from shared.settings import Settings
from shared.states import Stage

LEFT_OVER_SECONDS = 3600.0
"""A copy under examination is never this old, but another verifier's may lie in the same folder."""


class _Probe:
    """The probe's life as a part of the service."""

    def __init__(self, running: OwnProbe) -> None:
        self._running = running

    def start(self) -> None:
        """Nothing: it was started to learn at once whether it can."""

    def stop(self) -> None:
        """End the probe."""
        self._running.stop()


def build(service: Service) -> None:
    """The verify stage."""
    settings, store = service.settings, service.open_store()
    folder = _work_dir(settings)
    socket = settings.probe_socket
    if socket is None:
        # Beside the files, not among them, and short enough for a socket's path.
        socket = Path(tempfile.mkdtemp(prefix="outlast-probe-")) / "socket"
        service.add(
            _Probe(
                start_probe(
                    socket,
                    folder,
                    memory_bytes=settings.probe_memory_bytes,
                    seconds=settings.probe_seconds,
                    children=settings.slots,
                )
            )
        )
    prober = Prober(socket)
    handle = Verifier(
        recorder=service.recorder,
        store=store,
        prober=prober,
        work_dir=folder,
        hint=lambda claim, reference: service.hint(Stage.PROMOTE, claim.task_id, claim, reference),
    )

    def check() -> None:
        store.check(settings.staging_bucket)
        try:
            prober.check()
        except ProbeAway as error:
            raise Failure(Reason.PROBE, {"detail": str(error)}) from None

    service.work(Stage.VERIFY, handle, check)


def _work_dir(settings: Settings) -> Path:
    """The folder that is shared with the probe, freed of copies that a killed verifier left."""
    folder = settings.work_dir or Path(tempfile.mkdtemp(prefix="outlast-verifier-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"*{COPY_SUFFIX}"):
            if time.time() - left.stat().st_mtime > LEFT_OVER_SECONDS:
                left.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot use the work folder {folder}: {error.strerror}. Set OUTLAST_WORK_DIR.") from error
    return folder


if __name__ == "__main__":
    run_service("verifier", build)
