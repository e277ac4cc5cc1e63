"""The worker of a stage: slots that claim and handle tasks, a ticker that wakes them, and the renewal of leases."""

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Event, Thread

import structlog

from shared.errors import Failure, LeaseLost, Stopping
from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.claims import Claim, Claims
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics, traces
from shared.wakeups import Wakeups

log = structlog.get_logger(__name__)

FAULT_DELAY_SECONDS = 2.0
"""A task released for a fault of our own can be claimed again after this."""

TICKER_PATIENCE_SECONDS = 120.0
"""A ticker that is silent for this long, longer than any wait for the database, is dead."""


@dataclass
class Lease:
    """A held lease, as its handler sees it."""

    claim: Claim
    stop: "Callable[[], float | None]"
    lost: Event = field(default_factory=Event)

    def check(self) -> None:
        """Raises LeaseLost once the token is known to be gone; call it before any side effect."""
        if self.lost.is_set():
            raise LeaseLost(str(self.claim.task_id))

    def seconds_to_stop(self) -> float | None:
        """None while the process runs on; after SIGTERM the seconds that are left for this act."""
        return self.stop()


Handle = Callable[[Lease], None]


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
        slots_per_lane: int,
        renew_seconds: float,
        poll_seconds: float,
        check: Callable[[], None],
        hint: Callable[[Claim], None],
    ) -> None:
        """`check` raises Failure while a part that the stage needs is away; `hint` tells others of a released task."""
        self.stage = stage
        self._claims = claims
        self._recorder = recorder
        self._handle = handle
        self._slots_per_lane = slots_per_lane if stage is Stage.DOWNLOAD else slots
        urgent = max(1, slots // 4) if stage is Stage.DOWNLOAD and slots > 1 else 0
        self._renew_seconds = renew_seconds
        self._poll_seconds = poll_seconds
        self._check = check
        self._hint = hint

        self._wakeups = Wakeups()
        self._room = Condition()
        self._claiming = False
        self._alone = False
        self._held: dict[Claim, Lease] = {}

        self._stopping = Event()
        self._ended = Event()
        self._stop_at: float | None = None
        self._paused: Reason | None = None
        self._ticked = time.monotonic()
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
        with self._room:
            self._room.notify_all()
        for slot in self._slots:
            slot.join(max(0.0, self._stop_at - time.monotonic()))
        for lease in self._leases():
            self._release(lease, None)
        self._ended.set()

    def nudge(self, done: Callable[[], None]) -> None:
        """A hint came: wake a free slot; `done` is called when one was woken, or a moment later."""
        self._wakeups.nudge(done)

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
                self._wakeups.sleep()
            else:
                self._work(lease)

    def _claim(self, *, urgent_only: bool) -> Lease | None:
        """Claim one task at a time per process, so that the lanes' limits hold."""
        with self._room:
            self._room.wait_for(lambda: not (self._claiming or self._alone) or self._stopping.is_set())
            if self._stopping.is_set() or self._paused:
                return None
            self._claiming = True
            lanes = Counter(claim.lane for claim in self._held)
        try:
            full = [lane for lane, count in lanes.items() if count >= self._slots_per_lane]
            claim = self._claims.take(full, urgent_only=urgent_only)
        except Failure as failure:
            self._pause(failure.reason)
            claim = None
        finally:
            with self._room:
                self._claiming = False
                self._room.notify_all()
        if claim is None:
            return None
        lease = Lease(claim, self._seconds_to_stop)
        with self._room:
            self._held[claim] = lease
            self._alone = claim.strikes > 0
        # Where one task was claimable there may be more.
        self._wakeups.wake()
        return lease

    def _work(self, lease: Lease) -> None:
        claim = lease.claim
        structlog.contextvars.bind_contextvars(task_id=str(claim.task_id), epoch=claim.epoch)
        metrics.SLOTS_BUSY.add(1, stage=str(self.stage))
        try:
            if claim.strikes > 0:
                self._wait_alone()
            with traces.span(f"outlast.{self.stage}", claim.traceparent, epoch=claim.epoch):
                outcome = self._outcome(lease)
            metrics.CLAIMS.add(stage=str(self.stage), outcome=outcome)
        finally:
            metrics.SLOTS_BUSY.add(-1, stage=str(self.stage))
            structlog.contextvars.unbind_contextvars("task_id", "epoch")
            with self._room:
                self._held.pop(claim, None)
                self._alone = False if claim.strikes > 0 else self._alone
                self._room.notify_all()

    def _outcome(self, lease: Lease) -> str:
        try:
            self._handle(lease)
        except LeaseLost:
            metrics.LEASES_LOST.add(stage=str(self.stage))
            log.warning("lease_lost")
            return "lost"
        except Stopping:
            self._release(lease, None)
            return "released"
        except Failure as failure:
            if not failure.reason.is_ours:
                raise
            self._pause(failure.reason)
            self._release(lease, failure.reason)
            return "released"
        except Exception:
            # The lease is left to lapse, so that a task which breaks its handler each time ends as poisoned.
            log.exception("handler_broke")
            return "failed"
        return "done"

    def _release(self, lease: Lease, reason: Reason | None) -> None:
        try:
            delay = FAULT_DELAY_SECONDS if reason else 0.0
            self._recorder.release(lease.claim, reason, {}, delay)
            self._hint(lease.claim)
        except LeaseLost:
            log.info("lease_was_gone_at_release")
        except Failure as failure:
            log.warning("lease_left_to_lapse", reason=str(failure.reason))

    def _wait_alone(self) -> None:
        """A task that ended a worker before shares the process with no other, so no innocent dies with it."""
        with self._room:
            self._room.wait_for(lambda: len(self._held) <= 1 or self._stopping.is_set())

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
                    self._wakeups.wake()
            except Failure as failure:
                self._pause(failure.reason)
            if self._ticked >= polled:
                polled = self._ticked + self._poll_seconds * random.uniform(0.75, 1.25)  # noqa: S311
                self._wakeups.wake()

    def _renew(self) -> None:
        while not self._ended.wait(self._renew_seconds):
            leases = self._leases()
            try:
                ours = self._claims.renew([lease.claim for lease in leases])
            except Failure:
                log.warning("renewal_waits_for_the_database", leases=len(leases))
                continue
            for lease in leases:
                if lease.claim.lease_id not in ours:
                    self._mark_lost(lease)

    def _mark_lost(self, lease: Lease) -> None:
        with self._room:
            still_held = lease.claim in self._held
        if still_held:
            lease.lost.set()

    def _leases(self) -> list[Lease]:
        with self._room:
            return list(self._held.values())

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
        self._wakeups.wake()
