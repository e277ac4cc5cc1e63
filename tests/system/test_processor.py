"""The example processor as a process: killed at random, fed every message three times, stopped, and short of rights."""

import base64
import json
import os
import random
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import av
import pika
import pytest
from PIL import Image

from deploy.local.broker_access import USERS, permissions
from shared.topology import RESULTS
from tests.media.moving import RATE, video
from tests.media.pictures import picture
from tests.system.conftest import System, until
from tests.system.forks import Forked

QUEUE, VERSION = "processor.poster", "poster-1"
FULL = os.environ.get("OUTLAST_DRILLS") == "full"
KILLS, VIDEOS = (100, 100) if FULL else (20, 20)
STEP_SECONDS = 0.4
"""About the time of one run, over which the moments of the kills are spread."""

Message = tuple[str, bytes]


class Posters:
    """Example processors on the servers of a System, with an output bucket of their own."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.bucket = f"{system.assets}-output"
        system.s3.make_bucket(self.bucket)
        self.environment = {
            **system.environment,
            "OUTLAST_DATABASE_URL": system.database.url("outlast_processor"),
            "OUTLAST_OUTPUT_BUCKET": self.bucket,
            "OUTLAST_LEASE_SECONDS": "1.5",
        }
        self.running: dict[str, Forked] = {}

    def start(self, name: str, **variables: str) -> None:
        words = ["examples.poster", "--tries", "1000"]
        self.running[name] = self.system.forks.start(words, {**self.environment, **variables}, self._log(name))

    def log(self, name: str) -> str:
        return self._log(name).read_text(errors="replace")

    def lines(self) -> list[str]:
        return [line for name in self.running for line in self.log(name).splitlines()]

    def _log(self, name: str) -> Path:
        return self.system.folder / f"{name}.log"

    def kill(self, name: str) -> bool:
        """Kill it; returns whether it had made a poster and not said what became of it."""
        process = self.running[name]
        process.kill()
        process.wait(10)
        said = [line for line in self.log(name).splitlines() if f"pid={process.pid} " in line]
        return bool(said) and " made task=" in said[-1]

    def stop_all(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()

    def feed(self, messages: list[Message]) -> None:
        with pika.BlockingConnection(pika.URLParameters(self.system.amqp_url)) as connection:
            channel = connection.channel()
            channel.confirm_delivery()
            for key, body in messages:
                channel.basic_publish(RESULTS, key, body, mandatory=True)

    def rows(self, columns: str, condition: str = "true") -> list[tuple[Any, ...]]:
        return self.system.rows(f"SELECT {columns} FROM processing WHERE {condition}")

    def at_work(self) -> list[str]:
        """The names of those that hold a lease now."""
        names = {process.pid: name for name, process in self.running.items()}
        pids = [int(worker.rpartition(":")[2]) for (worker,) in self.rows("lease_worker", "lease_id IS NOT NULL")]
        return [names[pid] for pid in pids if pid in names]


@pytest.fixture
def posters(system: System) -> Iterator[Posters]:
    running = Posters(system)
    yield running
    running.stop_all()


def black() -> bytes:
    """A video of black frames."""
    body = BytesIO()
    with av.open(body, "w", format="mp4") as output:
        stream = output.add_stream("mpeg4", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(RATE):
            output.mux(stream.encode(av.VideoFrame.from_bytes(bytes([0, 0, 0, 255]) * 64 * 48, 64, 48)))
        output.mux(stream.encode(None))
    return body.getvalue()


def clip(number: int) -> bytes:
    return video(codec="mpeg4", size=(160, 120), seconds=8 + number / RATE)


def captured(system: System, bodies: dict[str, tuple[bytes, str]]) -> list[Message]:
    """Bring files (by job: the bytes, the kind) to complete assets and return what was announced of them."""
    system.start_all()
    system.publish(
        *(
            system.event("data:;base64," + base64.b64encode(body).decode(), job=job, kind=kind)
            for job, (body, kind) in bodies.items()
        )
    )
    until(
        lambda: system.count("announced_at IS NOT NULL") == len(bodies),
        "all are captured and announced",
        90 + len(bodies),
    )
    assert system.count("state = 'complete'") == len(bodies)
    for name in list(system.processes):
        system.stop(name)
    return system.messages(RESULTS)


@pytest.mark.timeout(900 if FULL else 240)
def test_a_processor_that_is_killed_at_random_makes_one_poster_of_each_video(
    system: System, posters: Posters, management: Callable[..., Any]
) -> None:
    """Every message comes three times. A run of the expensive step is repeated only where the kill fell between its
    end and the put of its result: those kills are counted.
    """
    good = {f"clip-{n}": (clip(n), "video") for n in range(VIDEOS)}
    messages = captured(system, {**good, "black": (black(), "video"), "still": (picture(), "image")})
    for name in ("first", "second"):
        posters.start(name)
    until(lambda: all("ready" in posters.log(name) for name in posters.running), "both consume")
    chance = random.Random(7)
    posters.feed(chance.sample(messages * 3, 3 * len(messages)))

    in_between = at_work = 0
    for _ in range(KILLS):
        until(posters.at_work, "one of them is at work")
        Event().wait(chance.uniform(0, STEP_SECONDS))
        busy = posters.at_work()
        victim = chance.choice(busy or list(posters.running))
        in_between += posters.kill(victim)
        at_work += bool(busy)
        posters.start(victim)

    until(lambda: posters.rows("count(*)", "finished_at IS NOT NULL") == [(VIDEOS + 1,)], "all have their end", 120)
    vhost = urlsplit(system.amqp_url).path[1:]
    until(lambda: management("GET", f"queues/{vhost}/{QUEUE}")["messages"] == 0, "every message is acked", 60)

    ended = Counter(state for (state,) in posters.rows("state"))
    assert ended == {"completed": VIDEOS, "rejected": 1}
    results = posters.rows("result_key, result_sha256, task_id, sha256", "state = 'completed'")
    assert sorted(key for key, *_ in results) == sorted(system.objects(posters.bucket)), "one derivative per asset"
    for key, digest, task_id, source in results:
        assert key == f"output/{task_id}/{VERSION}/{source}.jpg"
        assert sha256(system.read(f"s3://{posters.bucket}/{key}")).hexdigest() == digest
    made = Counter(re.findall(r" made task=(\S+)", "\n".join(posters.lines())))
    adopted = sum("adopted=True" in line for line in posters.lines())
    print(f"{KILLS} kills, {at_work} in the middle of a run, {in_between} between the step and the word of its result")
    print(f"{made.total()} runs of the step came to their end for {VIDEOS} results, {adopted} of which were adopted")
    assert at_work >= KILLS // 4, "the kills came when nobody worked"
    assert {UUID(task) for task in made} == {task_id for _, _, task_id, _ in results}
    assert VIDEOS <= made.total() <= VIDEOS + in_between


def test_a_processor_that_is_asked_to_end_finishes_its_run_and_leaves_no_lease(
    system: System, posters: Posters
) -> None:
    messages = captured(system, {f"clip-{n}": (clip(n), "video") for n in range(3)})
    posters.start("first", OUTLAST_LEASE_SECONDS="30")
    until(lambda: "ready" in posters.log("first"), "it consumes")
    posters.feed(messages)
    until(posters.at_work, "it is at work")
    posters.running["first"].send_signal(signal.SIGTERM)
    assert posters.running["first"].wait(30) == 0
    assert posters.rows("count(*)", "lease_id IS NOT NULL") == [(0,)]
    assert posters.rows("count(*) > 0", "state = 'completed'") == [(True,)]
    posters.start("second", OUTLAST_LEASE_SECONDS="30")
    until(lambda: posters.rows("count(*)", "state = 'completed'") == [(3,)], "the rest is done", 25)
    key = posters.rows("result_key")[0][0]
    assert Image.open(BytesIO(system.read(f"s3://{posters.bucket}/{key}"))).size == (160, 120)


def test_a_processor_needs_no_more_rights_than_those_of_its_own_queue(
    system: System, posters: Posters, management: Callable[..., Any]
) -> None:
    user, url = f"processor-{uuid4().hex}", urlsplit(system.amqp_url)
    management("PUT", f"users/{user}", {"password": "secret", "tags": ""})
    management("PUT", f"permissions/{url.path[1:]}/{user}", permissions(USERS["processor"]))
    try:
        posters.start("first", OUTLAST_AMQP_URL=f"amqp://{user}:secret@{url.hostname}:{url.port}{url.path}")
        until(lambda: "ready" in posters.log("first"), "it consumes")
        posters.feed([("asset.complete.studio", b"{"), ("asset.complete.studio", json.dumps({"data": {}}).encode())])
        until(lambda: posters.log("first").count("dropped") == 2, "what is no asset is dropped")
    finally:
        management("DELETE", f"users/{user}")
