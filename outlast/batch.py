"""Many events over several connections, each confirmed: a whole backlog, or all that a job produced."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import BoundedSemaphore
from types import TracebackType
from typing import Self
from uuid import UUID

from outlast.publish import CONFIRM_SECONDS, Producer
from shared.messages import (
    GenerationStartedEvent,
    IntakeEvent,
    OutputFailedEvent,
    OutputReadyEvent,
    job_key,
    task_id_from,
    task_id_of,
)

CONNECTIONS = 8
MOST_WAITING = 1000
"""Events that may be on their way before the first of them is confirmed."""


def publish_all(
    events: Iterable[IntakeEvent],
    *,
    account: str,
    amqp_url: str,
    connections: int = CONNECTIONS,
    timeout: float = CONFIRM_SECONDS,
) -> Generator[UUID, None, None]:
    """Hand over events for an account; yields the task id of each once it is confirmed, in the order of the events.

    What concerns one task goes over one connection in its order. `timeout` is the limit for one event, in seconds.
    Raises UsageError and PublishError as `Producer.publish` does; then, and when it is closed, what was not sent yet
    is not sent. Sending everything again is harmless.
    """
    with Batch(amqp_url, account=account, connections=connections, timeout=timeout) as batch:
        waiting: deque[Future[UUID]] = deque()
        for event in events:
            waiting.append(batch.send(event))
            while waiting and (len(waiting) >= MOST_WAITING or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Batch:
    """Connections, each with the one thread that waits for its confirms; a context manager.

    The first trouble ends them all: it is raised by the next `send`, or at the end of the block. A block that ends
    by an exception sends no more; else it ends when all is confirmed.
    """

    def __init__(
        self, amqp_url: str, *, account: str, connections: int = CONNECTIONS, timeout: float = CONFIRM_SECONDS
    ) -> None:
        """As `publish_all`."""
        self._producers = [Producer(amqp_url, timeout=timeout) for _ in range(connections)]
        self._threads = [ThreadPoolExecutor(1, thread_name_prefix="publish") for _ in range(connections)]
        self._account = account
        self._room = BoundedSemaphore(MOST_WAITING)
        self._trouble: Exception | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for producer in self._producers:
            self._stack.enter_context(producer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            # All are told before one is waited for, as each may wait for its confirm until the time is over.
            for thread in self._threads:
                thread.shutdown(wait=False, cancel_futures=error is not None)
            for thread in self._threads:
                thread.shutdown()
        if error is None and self._trouble is not None:
            raise self._trouble

    def send(self, event: IntakeEvent) -> "Future[UUID]":
        """Begin to hand over an event; its task id is there once it is confirmed. Waits while too many are on the way.

        Raises the trouble that an earlier event had.
        """
        self._room.acquire()
        if self._trouble is not None:
            self._room.release()
            raise self._trouble
        lane = self._of_one_subject(event).int % len(self._threads)
        return self._threads[lane].submit(self._hand_over, self._producers[lane], event)

    def _of_one_subject(self, event: IntakeEvent) -> UUID:
        """The same for all events about one job, so that they stay in their order; else the task."""
        if isinstance(event, GenerationStartedEvent | OutputReadyEvent | OutputFailedEvent):
            return task_id_from(job_key(self._account, event.data))
        return task_id_of(self._account, event.data)

    def _hand_over(self, producer: Producer, event: IntakeEvent) -> UUID:
        try:
            if self._trouble is not None:
                raise self._trouble
            return producer.publish(event, account=self._account)
        except Exception as error:
            self._trouble = self._trouble or error
            raise
        finally:
            self._room.release()
