"""What every service is made of: its outside parts, its life from start to SIGTERM, and its health."""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Timer
from typing import Protocol
from uuid import UUID

import structlog

from shared.broker import declare
from shared.broker.consumer import Consumer
from shared.broker.publisher import Publisher
from shared.db import Database
from shared.db.headline import read_headline
from shared.db.version import newest_version
from shared.errors import Failure, UsageError
from shared.messages import Hint, ObjectRef
from shared.objects import Store
from shared.settings import Settings, load_settings, secret_from
from shared.states import Stage
from shared.tasks.announcing import Announcer, Outbox
from shared.tasks.claims import Claim, Claims
from shared.tasks.recorder import Recorder
from shared.telemetry import http, logs, metrics, traces
from shared.telemetry.checks import Problems
from shared.topology import hint_queue
from shared.worker import Handle, Worker

log = structlog.get_logger(__name__)

BROKER_PATIENCE_SECONDS = 300.0
"""A service stays ready this long without a broker, as it then works by polling."""


class _Startable(Protocol):
    def start(self) -> None:
        """Begin."""


class Part(_Startable, Protocol):
    """Something that a service starts and stops."""

    def stop(self) -> None:
        """End."""


class Service:
    """One process: `work` or `consume` gives it something to do, `run` does it until SIGTERM."""

    def __init__(self, name: str, settings: Settings) -> None:
        logs.configure(name, settings.log_level, settings.log_format)
        traces.configure(name, settings.traces)
        self.name = name
        self.settings = settings
        self.database = Database(
            settings.database_url.get_secret_value(),
            password=secret_from(settings.database_password_file),
            connections=min(settings.slots + 4, 16),
            name=f"outlast-{name}",
        )
        self.amqp_url = _with_password(settings)
        self.publisher = Publisher(self.amqp_url, on_outcome=lambda word: metrics.HINTS.add(outcome=word))
        self._halted = Event()
        self.recorder = Recorder(self.database, self._halted)
        self._consumers: dict[str, Consumer] = {}
        self._workers: list[Worker] = []
        self._parts: list[Part] = []
        self._watched: list[Problems] = []

    def open_store(self) -> Store:
        """The object store, with this service's own key."""
        settings = self.settings
        return Store.open(
            str(settings.s3_endpoint),
            settings.s3_region,
            settings.s3_access_key,
            partial(secret_from, settings.s3_secret_key_file),
            part_bytes=settings.s3_part_bytes,
            bytes_in_flight=settings.bytes_in_flight,
        )

    def work(
        self, stage: Stage, handle: Handle, check: Callable[[], None], transfers: Mapping[str, int] | None = None
    ) -> None:
        """Work on the tasks of a stage; `check` raises Failure while a part that the stage needs is away.

        `transfers` caps downloads by what stands for a provider in its lanes.
        """

        def all_well() -> None:
            self.database.check()
            check()

        settings = self.settings
        worker = Worker(
            stage,
            Claims(
                self.database,
                stage,
                f"{self.name}@{socket.gethostname()}:{os.getpid()}",
                settings.lease_seconds,
            ),
            self.recorder,
            handle,
            slots=settings.slots,
            slots_per_lane=settings.slots_per_lane,
            transfers=transfers,
            renew_seconds=settings.renew_seconds,
            poll_seconds=settings.poll_seconds,
            check=all_well,
            hint=lambda claim: self.hint(stage, claim.task_id, claim),
        )
        self._workers.append(worker)
        self.watch(worker.problems)
        queue = hint_queue(stage)
        self.consume(
            queue,
            Consumer(
                self.amqp_url,
                queue,
                lambda delivery: worker.nudge(delivery.ack),
                prefetch=2 * settings.slots,
                name=self.name,
            ),
        )

    def consume(self, queue: str, consumer: Consumer) -> None:
        """Run the consumer of a queue."""
        self._consumers[queue] = consumer

    def announce(self, outbox: Outbox) -> None:
        """Send the announcements of an outbox."""
        self.add(Announcer(self.database, self.publisher, outbox))

    def add(self, part: Part) -> None:
        """Run a part beside the workers."""
        self._parts.append(part)

    def watch(self, problems: Problems) -> None:
        """Let `/readyz` tell these problems too."""
        self._watched.append(problems)

    def hint(self, stage: Stage, task_id: UUID, claim: Claim | None = None, reference: ObjectRef | None = None) -> None:
        """Wake a stage for a task; losing this costs one poll interval and nothing else."""
        body = Hint(task_id=task_id, object=reference).model_dump_json(by_alias=True).encode()
        trace = claim.traceparent if claim else traces.current_traceparent()
        self.publisher.hint(stage.value, body, {"traceparent": trace} if trace else {})

    def run(self) -> int:
        """Run until SIGTERM or SIGINT; returns the exit code."""
        asked = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: asked.set())
        server = http.serve(
            self.settings.http_host,
            self.settings.http_port,
            live=self._dead_parts,
            ready=self._problems,
        )
        metrics.HEADLINE.read_from(lambda: read_headline(self.database))
        self._check_topology()
        starting: list[_Startable] = [self.publisher, *self._parts, *self._workers, *self._consumers.values()]
        for part in starting:
            part.start()
        log.info("started", http_port=server.port, pid=os.getpid())
        asked.wait()
        self._stop()
        server.close()
        log.info("stopped")
        return 0

    def _check_topology(self) -> None:
        try:
            declare.verify(self.amqp_url, self._consumers)
        except Failure as failure:
            log.warning("starting_without_broker", reason=str(failure.reason))

    def _stop(self) -> None:
        grace = self.settings.grace_seconds
        log.info("stopping", grace_seconds=grace)
        # After the grace time nothing waits for a database that is away.
        halt = Timer(grace, self._halted.set)
        halt.daemon = True
        halt.start()
        for consumer in self._consumers.values():
            consumer.stop()
        for worker in self._workers:
            worker.stop(max(0.0, grace - 5.0))
        for part in [*reversed(self._parts), self.publisher]:
            part.stop()
        traces.shutdown()
        self.database.close()
        halt.cancel()

    def _dead_parts(self) -> list[str]:
        return [problem for worker in self._workers for problem in worker.dead()]

    def _problems(self) -> list[str]:
        found = [problem for ask in self._watched for problem in ask()]
        try:
            row = self.database.glance("schema_version")
            if row is None or row["version_num"] != newest_version():
                found.append("the database has another schema version; run `outlast migrate`")
        except Failure:
            found.append("the database does not answer")
        for queue, consumer in self._consumers.items():
            down = consumer.down_since
            if down is not None and time.monotonic() - down > BROKER_PATIENCE_SECONDS:
                found.append(f"no consumer on {queue} for over {BROKER_PATIENCE_SECONDS:.0f} s")
        return found


def run_service(name: str, build: Callable[[Service], None]) -> None:
    """The body of a service's `__main__`: settings, parts, run; a wrong setting ends with a clear text and code 2."""
    try:
        service = Service(name, load_settings())
        build(service)
        code = service.run()
    except UsageError as error:
        print(f"outlast {name}: {error}", file=sys.stderr)  # noqa: T201 (a person reads this, not a log collector)
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit, which waits for every thread that still hangs in a store.
    os._exit(code)


def _with_password(settings: Settings) -> str:
    url = settings.amqp_url.get_secret_value()
    password = secret_from(settings.amqp_password_file)
    if not password:
        return url
    scheme, _, rest = url.partition("://")
    user, _, place = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}:{password}@{place}"
