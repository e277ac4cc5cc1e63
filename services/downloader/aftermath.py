"""What becomes of a task whose transfer failed: another try and when, another source, or its end with a reason."""

import random
from dataclasses import dataclass

import structlog

from services.downloader.decide import AWAY, DENIED, Situation, Step, decide, healing_seconds
from services.downloader.delays import next_delay
from services.downloader.refreshing import again_seconds
from services.downloader.source import Source
from services.downloader.sources import Sources
from shared.errors import Failure
from shared.reasons import Next, Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.telemetry import metrics

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Aftermath:
    """Decides and records what follows a failure that is not ours."""

    recorder: Recorder
    sources: Sources

    def settle(self, claim: Claim, failure: Failure, source: Source | None) -> None:
        """Record what follows; `source` is None where there was none to try."""
        delay = self._delay(claim, failure, source)
        step = self._step(claim, failure, source, delay)
        if failure.reason is Reason.URL_EXPIRED:
            (metrics.EXPIRED_ANSWERS if source else metrics.EXPIRED_UNASKED).add()
        if source and step is Step.RETRY_ELSEWHERE:
            self.sources.mark_ended(source)
            # A provider whose fresh link failed may give the same one again: it is asked after a while only.
            delay = max(delay or 0.0, again_seconds(_asked(claim, source))) if source.is_fresh else 0.0
        if step in (Step.RETRY, Step.RETRY_ELSEWHERE):
            self._again(claim, failure, 1.0 if delay is None else delay)
        else:
            now = self.sources.clock_of(source).earliest()
            end = source.end(now) if source else None
            has_ended = end is not None and end <= now
            self._stop(claim, failure, _final_reason(claim, failure, source, delay, has_ended=has_ended), step)

    def _step(self, claim: Claim, failure: Failure, source: Source | None, delay: float | None) -> Step:
        refreshes = _asked(claim, source) + (1 if source and source.refreshed else 0)
        # Where the refresh itself found the provider away, it is no other way.
        can_help = not (refreshes and failure.reason in DENIED) and (source is not None or failure.reason not in AWAY)
        clock = self.sources.clock_of(source)
        return decide(
            Situation(
                reason=failure.reason,
                tries=claim.tries,
                refreshes=refreshes,
                seconds_since_ready=clock.seconds_since(claim.ready_at),
                delay=delay,
                life_known=(source.end(clock.earliest()) if source else claim.deadline) is not None,
                elsewhere=self.sources.elsewhere(claim, source, by_refresh=can_help),
            )
        )

    def _again(self, claim: Claim, failure: Failure, delay: float) -> None:
        metrics.TRANSFER_RETRIES.add(reason=str(failure.reason))
        log.info("transfer_again", reason=str(failure.reason), delay=round(delay, 2))
        charge = 0 if failure.reason is Reason.CREDENTIAL_MISSING else 1
        self.recorder.retry(claim, failure.reason, failure.evidence, delay, tries=charge)

    def _delay(self, claim: Claim, failure: Failure, source: Source | None) -> float | None:
        clock = self.sources.clock_of(source)
        now = clock.earliest()
        expires = source.end(now) if source else claim.deadline
        issued = (source.issued_at if source else None) or claim.ready_at
        return next_delay(
            claim.tries,
            life=(expires - issued).total_seconds() if expires else None,
            remaining=(expires - now).total_seconds() if expires else None,
            wish=max(
                failure.retry_after or 0.0,
                healing_seconds(failure.reason, claim.tries, clock.seconds_since(claim.ready_at)),
            ),
            random=random.random,
        )

    def _stop(self, claim: Claim, failure: Failure, reason: Reason, step: Step) -> None:
        abandoned = step is Step.ABANDON
        reason = failure.reason if abandoned else reason
        evidence = {**failure.evidence, "last": str(failure.reason)}
        log.warning("gave_up", reason=str(reason), last=str(failure.reason))
        self.recorder.give_up(claim, reason, evidence, abandoned=abandoned)


def _asked(claim: Claim, source: Source | None) -> int:
    """How often the provider was asked in earlier claims for a way to the bytes, as each try of an endpoint does."""
    return claim.tries if source and source.endpoint else claim.refreshes


def _final_reason(
    claim: Claim, failure: Failure, source: Source | None, delay: float | None, *, has_ended: bool
) -> Reason:
    """What a person must hear: bytes that were refused, or what the last source did, before "no link is left"."""
    if claim.rejected_reason:
        return Reason(claim.rejected_reason)
    if claim.unproven_sha256:
        return Reason.LENGTH_UNPROVEN
    if source is None and failure.reason is Reason.URL_EXPIRED and claim.last_reason:
        return Reason(claim.last_reason)
    if failure.reason.rule.next is not Next.RETRY or failure.reason is Reason.CREDENTIAL_MISSING or delay is not None:
        return failure.reason
    return Reason.URL_EXPIRED if has_ended else Reason.DEADLINE_MISSED
