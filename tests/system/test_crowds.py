"""Drills: hosts that are slow or away keep nobody else's work waiting. `make drills` runs them at full size."""

import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import accumulate, count

import pytest

from tests.system.conftest import System, until
from tests.system.hosts import Host

FULL = os.environ.get("OUTLAST_DRILLS") == "full"
PICTURES = 200 if FULL else 50
AWAY_SECONDS = 60.0 if FULL else 8.0
HEALING_SECONDS = 600.0 if FULL else 90.0
FEW = 20
STALLS = 10 if FULL else 2
MOST_RATIO = 1.5
GOES = 3

pytestmark = pytest.mark.timeout(3600 if FULL else 900)


@pytest.fixture
def hosts() -> Iterator[dict[str, Host]]:
    """A good one, and two whose ways a test decides."""
    made = {name: Host(f"127.0.0.{number}") for number, name in enumerate(("good", "ill", "wild"), start=1)}
    yield made
    for host in made.values():
        host.close()


@pytest.fixture
def crowd(system: System, hosts: dict[str, Host]) -> System:
    """All services; `good` and `ill` are providers that list their host, `wild` is one that lists none."""
    folder = system.folder / "providers"
    folder.mkdir()
    for name, host in hosts.items():
        listed = "" if name == "wild" else f'hosts = ["{host.address}"]\n'
        (folder / f"{name}.toml").write_text(f'name = "{name}"\n{listed}')
    system.start_all(
        OUTLAST_PROVIDERS_DIR=str(folder),
        OUTLAST_EGRESS_ALLOW=",".join(host.pair for host in hosts.values()),
        OUTLAST_IDLE_SECONDS="4",
    )
    return system


class Rounds:
    """Publishes rounds of pictures."""

    def __init__(self, system: System, hosts: dict[str, Host]) -> None:
        self._system, self._hosts = system, hosts
        self._numbers = count()

    def accept(self, name: str, pictures: int = PICTURES) -> str:
        """Have links to a host accepted; returns the condition that names their tasks."""
        number = next(self._numbers)
        links = [self._hosts[name].link(f"{('head', 'body')[n % 2]}/{number}-{n}") for n in range(pictures)]
        self._system.publish(
            *(
                self._system.event(link, job=f"{number}-{n}", provider=name, kind="image")
                for n, link in enumerate(links)
            )
        )
        these = f"provider = '{name}' AND job_id LIKE '{number}-%'"
        until(lambda: self._system.count(these) == pictures, f"the links to {name} are accepted", 150)
        return these

    def seconds(self) -> float:
        """How long a round of good ones takes, from their events to the last proven asset."""
        began = time.monotonic()
        these = self.accept("good")
        until(lambda: self._system.count(f"{these} AND state = 'complete'") == PICTURES, "all good ones are done", 150)
        return time.monotonic() - began

    def are_unharmed_by(self, trouble: Callable[[], AbstractContextManager[None]]) -> bool:
        """Whether a round in trouble takes about as long as those before and after it.

        Other work on this machine may slow down any of them, so that there are several goes.
        """
        self.seconds()
        return any(self._is_unharmed_by(trouble) for _ in range(GOES))

    def _is_unharmed_by(self, trouble: Callable[[], AbstractContextManager[None]]) -> bool:
        before = self.seconds()
        with trouble():
            beside = self.seconds()
        until(lambda: self._system.count("state = 'complete'") == self._system.count(), "all heal", HEALING_SECONDS)
        return beside <= MOST_RATIO * max(before, self.seconds())


def test_case_57_a_host_of_one_byte_a_second_keeps_no_other_host_waiting(crowd: System, hosts: dict[str, Host]) -> None:
    rounds, ill = Rounds(crowd, hosts), hosts["ill"]

    @contextmanager
    def slowness() -> Iterator[None]:
        ill.slow_down()
        these = rounds.accept("ill")
        yield
        stalled = f"SELECT count(*) FROM claims JOIN tasks USING (task_id) WHERE claims.reason = 'stalled' AND {these}"
        until(lambda: crowd.rows(stalled)[0][0] >= STALLS, "slow answers are given up", 300)
        assert crowd.count(f"{these} AND state = 'complete'") == 0
        ill.recover()

    assert rounds.are_unharmed_by(slowness)


def test_a_provider_that_is_away_is_asked_by_the_schedule_and_keeps_no_other_waiting(
    crowd: System, hosts: dict[str, Host]
) -> None:
    """503 to everything: the host of a lane of its own is spared by its breaker, the other by the back-off alone."""
    rounds, ill, wild = Rounds(crowd, hosts), hosts["ill"], hosts["wild"]

    @contextmanager
    def outage() -> Iterator[None]:
        before, began = (ill.asked, wild.asked), time.monotonic()
        ill.go_away()
        wild.go_away()
        rounds.accept("ill")
        rounds.accept("wild", FEW)
        yield
        until(lambda: time.monotonic() - began >= AWAY_SECONDS, "the outage is over", AWAY_SECONDS + 1)
        until(lambda: len(wild.asked - before[1]) == FEW, "the lane of many hosts stays open to all of its tasks", 60)
        asked = ill.asked - before[0], wild.asked - before[1]
        away = time.monotonic() - began
        assert closed_lanes(crowd) == 1, "the lane of many hosts stays open"
        ill.recover()
        wild.recover()
        assert max([*asked[0].values(), *asked[1].values()]) <= most_requests_of_a_task(away)
        assert asked[0].total() <= most_requests_of_a_lane(away)

    assert rounds.are_unharmed_by(outage)
    assert closed_lanes(crowd) == 0


def closed_lanes(system: System) -> int:
    """How many lanes the downloader says it has closed."""
    (figure,) = re.findall(r"^outlast_lanes_closed (\d+)", system.http("downloader", "/metrics")[1], re.MULTILINE)
    return int(figure)


def most_requests_of_a_task(seconds: float) -> int:
    """Requests that no task makes within so many seconds, but for one run of the test in a million.

    The delays are even over 0 to 1, 0 to 2, 0 to 4 and so on, at most 300 s (full jitter). So the first m of them
    fit into a time t with a probability of at most t^m / m! over the product of their longest.
    """
    longest = [min(2.0**number, 300.0) for number in range(100)]
    for delays in count(1):
        chance = seconds**delays / math.factorial(delays) / math.prod(longest[:delays])
        if (PICTURES + FEW) * chance < 1e-6:
            # So many delays do not fit, hence there are fewer; each request but the first follows one.
            return delays
    raise AssertionError


def most_requests_of_a_lane(seconds: float) -> int:
    """Five that close it, one more under way, and trials after 1, 2, 4 s and then every 8 s."""
    trials = accumulate(min(2.0**closing, 8.0) for closing in count())
    return 5 + 1 + sum(1 for _ in iter(lambda: next(trials) <= seconds, False))
