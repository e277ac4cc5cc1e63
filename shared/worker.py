"""The worker of a stage: slots that claim and handle tasks, a ticker that wakes them, and the renewal of leases."""

import random
import time
from collections.abc import Callable, Mapping
from threading import Event, Thread

import structlog

from shared.errors import Failure, LeaseLost, Stopping
from shared.lanes import Budget
from shared.leases import Lease, Leases
from shared.patience import Patience
from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.claims import Claim, Claims
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics, traces
from shared.wakeups import Wakeups

__all__ = ["Handle", "Lease", "Worker"]

log = structlog.get_logger(__name__)

TICKER_PATIENCE_SECONDS = 120.0
"""A ticker that is silent for this long, longer than any wait for the database, is dead."""

Handle = Callable[[Lease], None]


ITS_OWN = "only this task failed so, for a quarter of an hour, while our parts were well"


class Worker:
    """Runs one stage in this process with a fixed number of slots."""

    def __init__(
        self,
        stage: Stage,
        claims: Claims,
        recorder: Recorder,
        handle: Handle,
        *,
        slots: int,
        slots_per_lane: int | None = None,
        transfers: Mapping[str, int] | None = None,
        renew_seconds: float,
        poll_seconds: float,
        check: Callable[[], None],
        hint: Callable[[Claim], None],
    ) -> None:
        """`check` raises Failure while a part that the stage needs is away; `hint` tells others of a released task.

        `slots_per_lane` (without it half of the slots) and `transfers`, the caps of providers, bound downloads.
        """
        self.stage = stage
        self._claims = claims
        self._recorder = recorder
        self._handle = handle
        self._renew_seconds = renew_seconds
        self._poll_seconds = poll_seconds
        self._check = check
        self._hint = hint

        downloads = Budget.of_downloads(slots, slots_per_lane, transfers or {})
        budget = downloads if stage is Stage.DOWNLOAD else Budget(slots, per_lane=slots)
        self._leases = Leases(claims, self._seconds_to_stop, budget)
        self._wakeups = Wakeups()
        # A reserved slot would take a hint and find nothing for itself, so each kind is woken apart.
        self._urgent_wakeups = Wakeups()
        self._patience = Patience()
        self._stopping = Event()
        self._ended = Event()
        self._stop_at: float | None = None
        self._paused: Reason | None = None
        self._ticked = time.monotonic()
        urgent = max(1, slots // 4) if stage is Stage.DOWNLOAD and slots > 1 else 0
        self._slots = [
            Thread(target=self._for_ever, args=(self._slot, n < urgent), name=f"{stage}-slot-{n}", daemon=True)
            for n in range(slots)
        ]

    def start(self) -> None:
        """Start the slots, the ticker and the renewal."""
        beside = [
            Thread(target=self._for_ever, args=(job,), name=f"{self.stage}-{name}", daemon=True)
            for name, job in (("ticker", self._tick), ("renewal", self._renew))
        ]
        for thread in [*beside, *self._slots]:
            thread.start()

    def stop(self, grace_seconds: float) -> None:
        """Stop claiming; let acts end within the grace time, then give every other lease back."""
        self._stop_at = time.monotonic() + grace_seconds
        self._stopping.set()
        self._wakeups.close()
        self._urgent_wakeups.close()
        self._leases.stir()
        for slot in self._slots:
            slot.join(max(0.0, self._stop_at - time.monotonic()))
        for lease in self._leases.all():
            if not self._release(lease):
                break
        self._ended.set()

    def nudge(self, done: Callable[[], None]) -> None:
        """A hint came: wake a free slot; `done` is called when one was woken, or a moment later."""
        self._urgent_wakeups.wake()
        self._wakeups.nudge(done)

    def _wake(self) -> None:
        self._urgent_wakeups.wake()
        self._wakeups.wake()

    def problems(self) -> list[str]:
        """What keeps this worker from working, for `/readyz`."""
        paused = [f"{self.stage} is paused: {self._paused.rule.sentence}"] if self._paused else []
        return [*paused, *self.dead()]

    def dead(self) -> list[str]:
        """What only a restart can mend, for `/livez`."""
        late = time.monotonic() - self._ticked > TICKER_PATIENCE_SECONDS
        return [f"the ticker of {self.stage} does not run"] if late else []

    def _for_ever(self, job: Callable[..., None], *arguments: object) -> None:
        """Run a loop until the worker ends; a fault of the program is logged and never leaves a slot dead."""
        while not self._stopping.is_set():
            try:
                job(*arguments)
            except Exception:
                log.exception("worker_thread_broke")
                self._stopping.wait(1.0)

    # The slots.

    def _slot(self, urgent_only: bool) -> None:
        while not self._stopping.is_set():
            lease = self._claim(urgent_only=urgent_only)
            if lease is None:
                (self._urgent_wakeups if urgent_only else self._wakeups).sleep()
            else:
                # Where one task was claimable there may be more.
                self._wake()
                self._work(lease)

    def _claim(self, *, urgent_only: bool) -> Lease | None:
        try:
            return self._leases.take(
                urgent_only=urgent_only,
                given_up=lambda: self._stopping.is_set() or self._paused is not None,
            )
        except Failure as failure:
            self._pause(failure.reason)
            return None

    def _work(self, lease: Lease) -> None:
        claim, stage = lease.claim, str(self.stage)
        structlog.contextvars.bind_contextvars(task_id=str(claim.task_id), epoch=claim.epoch)
        metrics.SLOTS_BUSY.add(1, stage=stage)
        try:
            with (
                self._leases.at_work(lease, self._stopping.is_set),
                traces.span(f"outlast.{stage}", claim.traceparent, epoch=claim.epoch),
            ):
                metrics.CLAIMS.add(stage=stage, outcome=self._outcome(lease))
        finally:
            metrics.SLOTS_BUSY.add(-1, stage=stage)
            structlog.contextvars.unbind_contextvars("task_id", "epoch")

    def _outcome(self, lease: Lease) -> str:
        try:
            self._handle(lease)
        except LeaseLost:
            metrics.LEASES_LOST.add(stage=str(self.stage))
            log.warning("lease_lost")
            return "lost"
        except Stopping:
            self._release(lease)
            return "released"
        except Failure as failure:
            self._own_fault(lease, failure)
            return "released"
        except Exception:
            # The lease is left to lapse, so that a task which breaks its handler each time ends as poisoned.
            log.exception("handler_broke")
            return "failed"
        self._patience.forget(lease.claim.task_id)
        return "done"

    def _own_fault(self, lease: Lease, failure: Failure) -> None:
        """A part of ours failed: pause the stage if the part is away, else let this task wait, longer each time."""
        if not failure.reason.is_ours:
            raise failure
        delay = self._patience.after_fault(lease.claim.task_id)
        try:
            self._check()
        except Failure as away:
            self._pause(away.reason)
        else:
            metrics.OWN_FAULTS.add(reason=str(failure.reason))
            if self._patience.is_its_own(lease.claim.task_id):
                self._give_up(lease, failure)
                return
        log.warning("own_fault", reason=str(failure.reason), delay=delay)
        self._release(lease, failure, delay)

    def _give_up(self, lease: Lease, failure: Failure) -> None:
        """Hand a task to people that alone has failed for long, while our parts are well."""
        log.warning("fault_of_this_task", reason=str(failure.reason))
        self._patience.forget(lease.claim.task_id)
        try:
            self._recorder.give_up(lease.claim, failure.reason, {**failure.evidence, "why": ITS_OWN})
        except LeaseLost:
            log.info("lease_was_gone_at_release")
        except Failure as away:
            log.warning("lease_left_to_lapse", reason=str(away.reason))

    def _release(self, lease: Lease, failure: Failure | None = None, delay: float = 0.0) -> bool:
        """Give a lease back; False when the database did not take it, so that it is left to lapse."""
        reason, evidence = (failure.reason, failure.evidence) if failure else (None, {})
        try:
            self._recorder.release(lease.claim, reason, evidence, delay)
            self._hint(lease.claim)
        except LeaseLost:
            log.info("lease_was_gone_at_release")
        except Failure as away:
            log.warning("lease_left_to_lapse", reason=str(away.reason))
            return False
        return True

    # What runs beside the slots.

    def _tick(self) -> None:
        polled = 0.0
        while not self._stopping.wait(1.0):
            self._ticked = time.monotonic()
            self._wakeups.answer_late_hints()
            try:
                if self._paused:
                    self._resume()
                if self._claims.wake():
                    self._wake()
            except Failure as failure:
                self._pause(failure.reason)
            if self._ticked >= polled:
                polled = self._ticked + self._poll_seconds * random.uniform(0.75, 1.25)  # noqa: S311
                self._wake()

    def _renew(self) -> None:
        while not self._ended.wait(self._renew_seconds):
            self._leases.renew()

    def _seconds_to_stop(self) -> float | None:
        return None if self._stop_at is None else self._stop_at - time.monotonic()

    def _pause(self, reason: Reason) -> None:
        if self._paused is None:
            log.warning("stage_paused", stage=str(self.stage), reason=str(reason))
        metrics.OWN_FAULTS.add(reason=str(reason))
        self._paused = reason

    def _resume(self) -> None:
        self._check()
        log.info("stage_resumed", stage=str(self.stage))
        self._paused = None
        self._wake()
