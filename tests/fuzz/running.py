"""Runs many cases over several sources in one process, and counts what became of them."""

import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue

from tests.faults.ears import listening
from tests.faults.names import NameServer
from tests.fuzz.arena import Arena
from tests.fuzz.cases import Case, case_of
from tests.fuzz.tally import Tally
from tests.fuzz.watch import watching
from tests.fuzz.zone import Zone

ARENAS = 8
"""Sources of one process: while some are silent others go on."""

Make = Callable[[int, int], Case]
"""Makes a case from its number and the port of its source."""


def run_cases(kind: str, seed: int, numbers: Iterable[int], arenas: int = ARENAS) -> Tally:
    """Run generated cases; nothing is raised, faults are in the tally."""
    return run_each(partial(case_of, kind, seed), numbers, arenas, kind)


def run_each(make: Make, numbers: Iterable[int], arenas: int = ARENAS, kind: str = "case") -> Tally:
    """Run any cases, each under the name `kind/number`."""
    tally = Tally()
    with (
        NameServer(Zone()) as names,
        watching() as watch,
        listening() as heard,
        ThreadPoolExecutor(arenas) as threads,
    ):
        free: SimpleQueue[Arena] = SimpleQueue()
        made = [Arena(names, watch) for _ in range(arenas)]
        for arena in made:
            free.put(arena)
        for result in threads.map(partial(_run, free, make, kind), numbers):
            tally.add(result)
        for arena in made:
            arena.peer.close()
        tally.connections = watch.counts
    tally.faults += [f"{kind}: {fault}" for fault in (*heard, *watch.denied.values())]
    return tally


def _run(free: "SimpleQueue[Arena]", make: Make, kind: str, number: int) -> Tally:
    arena, name = free.get(), f"{kind}/{number}"
    try:
        outcome = arena.run(make(number, arena.peer.port))
    except BaseException as error:  # noqa: BLE001 (that nothing else is raised is what is tested)
        return Tally(faults=[f"{name}: {''.join(traceback.format_exception(error))}"])
    finally:
        free.put(arena)
    tally = Tally(slowest=(outcome.seconds, name))
    tally.words[outcome.word] = 1
    return tally
