"""Runs the verifier service, and a probe of its own where nobody else runs one."""

import shutil
import tempfile
import time
from pathlib import Path

from services.verifier.endings import Endings
from services.verifier.examine import ProbeAway, Prober
from services.verifier.handler import COPY_SUFFIX, Verifier
from services.verifier.hooks.chosen import chosen_hooks
from services.verifier.room import Room
from services.verifier.supervise import start_probe
from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.service import Service, run_service
from shared.settings import Settings
from shared.states import Stage

LEFT_OVER_SECONDS = 3600.0
"""A copy under examination is never this old, but another verifier's may lie in the same folder."""


class _OwnPlace:
    """A temporary folder for copies and socket, and the probe on it; both end with the service."""

    def __init__(self, settings: Settings) -> None:
        # Short, as the path of a socket must be.
        self._home = Path(tempfile.mkdtemp(prefix="outlast-verifier-"))
        self.folder = settings.work_dir or self._home / "copies"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.socket = settings.probe_socket or self._home / "socket"
        self._probe = None
        if settings.probe_socket is None:
            self._probe = start_probe(
                self.socket,
                self.folder,
                memory_bytes=settings.probe_memory_bytes,
                seconds=settings.probe_seconds,
                children=settings.slots,
                log_format=settings.log_format,
                accept_undecoded=settings.accept_undecoded,
            )

    def start(self) -> None:
        """Nothing: the probe was started to learn at once whether it can."""

    def stop(self) -> None:
        """End the probe and remove the folder."""
        if self._probe is not None:
            self._probe.stop()
        shutil.rmtree(self._home, ignore_errors=True)


def build(service: Service) -> None:
    """The verify stage."""
    settings, store = service.settings, service.open_store()
    hooks = chosen_hooks(settings, store)
    place = _place(settings)
    service.add(place)
    prober = Prober(place.socket)
    endings = Endings(
        service.recorder,
        keep_seconds=settings.rejected_seconds,
        hint=lambda claim, reference: service.hint(Stage.PROMOTE, claim.task_id, claim, reference),
    )
    handle = Verifier(
        store=store,
        prober=prober,
        work_dir=place.folder,
        room=Room(settings.work_bytes),
        endings=endings,
        hooks=hooks,
    )

    def check() -> None:
        store.check(settings.staging_bucket)
        try:
            prober.check()
            with tempfile.NamedTemporaryFile(dir=place.folder) as probe:
                probe.write(b"room?")
        except (ProbeAway, OSError) as error:
            raise Failure(Reason.PROBE, {"detail": str(error)}) from None
        for hook in hooks:
            hook.check()

    service.work(Stage.VERIFY, handle, check)


def _place(settings: Settings) -> _OwnPlace:
    """The place of the examination, freed of copies that a killed verifier left."""
    if settings.work_bytes < settings.max_object_bytes:
        raise UsageError("OUTLAST_WORK_BYTES is under OUTLAST_MAX_OBJECT_BYTES; raise it, or lower the latter.")
    try:
        place = _OwnPlace(settings)
        for left in place.folder.glob(f"*{COPY_SUFFIX}"):
            if time.time() - left.stat().st_mtime > LEFT_OVER_SECONDS:
                left.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot use the work folder: {error.strerror}. Set OUTLAST_WORK_DIR.") from error
    return place


if __name__ == "__main__":
    run_service("verifier", build)
