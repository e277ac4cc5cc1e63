"""The whole run over all cores: its progress, its closing lines, and one case alone."""

import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.fuzz.cases import KINDS, case_of
from tests.fuzz.running import run_cases
from tests.fuzz.tally import MOST_FAULTS, Tally

_CHUNK = 1000
_TELL_SECONDS = 5.0


def run_all(seed: int, number: int) -> int:
    """Run that many cases of each kind in a process per core, tell the counts; 1 if anything did not hold."""
    began, whole = time.monotonic(), Tally()
    print(f"fuzz: {number:,} cases of each kind with SEED={seed}", flush=True)
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        for kind in KINDS:
            tally = _run_kind(processes, kind, seed, number)
            print(f"{kind} {tally.line()}", flush=True)
            _tell_faults(tally.faults, seed)
            whole.add(tally)
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    met = whole.connections
    print(
        f"fuzz: {whole.done:,} transfers in {minutes} min {seconds} s, SEED={seed}, slowest {whole.slowest[0]:.2f} s;"
        f" connections: {met['allowed']:,} to the test's own sources, {met['public']:,} to public addresses (stopped at"
        f" the socket), {met['denied']:,} to denied addresses; {len(whole.faults):,} faults"
    )
    return 1 if whole.faults or met["denied"] else 0


def _run_kind(processes: ProcessPoolExecutor, kind: str, seed: int, number: int) -> Tally:
    tally, told = Tally(), time.monotonic()
    chunks = [range(start, min(start + _CHUNK, number)) for start in range(0, number, _CHUNK)]
    for future in as_completed([processes.submit(run_cases, kind, seed, chunk) for chunk in chunks]):
        tally.add(future.result())
        if time.monotonic() - told > _TELL_SECONDS:
            told = time.monotonic()
            print(f"  {kind}: {tally.done:,} of {number:,}, {len(tally.faults):,} faults", file=sys.stderr, flush=True)
    return tally


def _tell_faults(faults: Sequence[str], seed: int) -> None:
    for fault in faults[:MOST_FAULTS]:
        print(f"{fault}  run it again: make fuzz SEED={seed} CASE={fault.partition(':')[0]}", flush=True)


def run_one(kind: str, seed: int, number: int) -> int:
    """Run one case and show it; 1 if anything did not hold."""
    case = case_of(kind, seed, number, 65535)
    print(f"link: {case.url!r}\norder: {dict(case.order)!r}")
    for reply in case.replies:
        print(f"reply: {reply!r}")
    tally = run_cases(kind, seed, [number], arenas=1)
    print("\n".join(tally.faults) or tally.line())
    return 1 if tally.faults else 0
