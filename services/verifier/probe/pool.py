"""The pool of warm children: each is given one file at a time, watched, and replaced."""

import asyncio
import json
import os
import signal
from collections.abc import Sequence

import structlog
from pydantic import ValidationError

from services.verifier.facts import Verdict
from services.verifier.probe.confine import empty_folder
from services.verifier.probe.worker import NoChild, Worker
from shared.messages import Kind
from shared.reasons import Reason

log = structlog.get_logger(__name__)

FILES_PER_CHILD = 100
"""A child is replaced after so many files, whatever they left in its memory."""

BYTES_PER_SECOND = 50_000_000
"""A large file has more time: the seconds that reading it takes at this speed."""

OUT_OF_BOUNDS = frozenset({signal.SIGKILL, signal.SIGXCPU})
"""Signals by which the kernel ends a process that takes too much memory or CPU time."""


class Pool:
    """Confined processes with `memory_bytes` and `seconds` for a file; `version` goes into every verdict.

    `undecoded` names the formats that are accepted without a decoder.
    """

    def __init__(self, memory_bytes: int, seconds: float, version: str, undecoded: Sequence[str] = ()) -> None:
        self._memory_bytes, self._seconds, self._version = memory_bytes, seconds, version
        self._undecoded = list(undecoded)
        self._empty = empty_folder()
        self._places: asyncio.LifoQueue[Worker | None] = asyncio.LifoQueue()

    async def start(self, children: int) -> None:
        """Fork the children. Raises NoChild if one cannot be confined."""
        for _ in range(children):
            self.add(await self._fork())

    def add(self, worker: Worker) -> None:
        """Give the pool one more place, with this child in it."""
        self._places.put_nowait(worker)

    async def examine(self, descriptor: int, kind: Kind | None) -> Verdict:
        """The verdict about an open file; a child that dies, hangs or answers nonsense is a verdict too.

        Raises NoChild if there is no child to examine it.
        """
        place = await self._places.get()
        worker, again = place, False
        try:
            worker = await self._hand_over(place, descriptor, kind)
            verdict = await self._verdict(worker, descriptor)
            again = verdict.accepted and worker.files < FILES_PER_CHILD
            return verdict.model_copy(update={"verifier_version": self._version, "peak_bytes": worker.peak_bytes()})
        finally:
            if worker is not None and not again:
                worker.end()
            self._places.put_nowait(worker if again else None)

    def stop(self) -> None:
        """End every idle child; a busy one ends with its examination."""
        while not self._places.empty():
            worker = self._places.get_nowait()
            if worker is not None:
                worker.end()

    async def _fork(self) -> Worker:
        return await Worker.fork(self._memory_bytes, self._empty)

    async def _hand_over(self, place: Worker | None, descriptor: int, kind: Kind | None) -> Worker:
        """Give the file to the child of this place, or to a new one if there is none or it died idle."""
        asked = {"kind": kind, "seconds": self._allowance(descriptor), "undecoded": self._undecoded}
        request = json.dumps(asked).encode()
        if place is not None and await place.give(request, descriptor):
            return place
        if place is not None:
            place.end()
        worker = await self._fork()
        if not await worker.give(request, descriptor):
            worker.end()
            raise NoChild("it ended before it took a file")
        return worker

    async def _verdict(self, worker: Worker, descriptor: int) -> Verdict:
        allowance = self._allowance(descriptor)
        try:
            answer = await asyncio.wait_for(worker.line(), allowance)
        except TimeoutError:
            return Verdict(reason=Reason.PROBE_TIMEOUT, detail=f"no verdict within {allowance:.1f} s")
        if not answer:
            return _of_death(worker.end())
        try:
            return Verdict.model_validate_json(answer)
        except ValidationError:
            return Verdict(reason=Reason.UNSAFE_MEDIA, detail="the examination gave no valid answer")

    def _allowance(self, descriptor: int) -> float:
        """Seconds for the examination of an open file."""
        return self._seconds + os.fstat(descriptor).st_size / BYTES_PER_SECOND


def _of_death(status: int) -> Verdict:
    """What the wait status of a child that ended by itself says about the file it examined."""
    if not os.WIFSIGNALED(status):
        return Verdict(reason=Reason.UNDECODABLE, detail="the examination ended without an answer")
    ended_by = signal.Signals(os.WTERMSIG(status))
    if ended_by is signal.SIGSYS:
        log.error("examination_forbidden")
        return Verdict(reason=Reason.UNSAFE_MEDIA, detail="the examination tried something that is forbidden (SIGSYS)")
    if ended_by in OUT_OF_BOUNDS:
        return Verdict(reason=Reason.PROBE_TIMEOUT, detail=f"more memory or time than is allowed ({ended_by.name})")
    return Verdict(reason=Reason.UNDECODABLE, detail=f"a decoder crashed ({ended_by.name})")
