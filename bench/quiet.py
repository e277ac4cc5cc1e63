"""Whether the machine is quiet enough to measure on: what its processors do beside us."""

import os
import time
from pathlib import Path

from rich.console import Console

QUIET_SHARE = 0.15
"""Most of the processors' time that others may take on a quiet machine."""

PATIENCE_SECONDS = 30.0


def await_quiet(console: Console, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until the processors idle, for so many seconds at most; a machine that stays busy is told of."""
    limit = time.monotonic() + seconds
    while (share := busy_share(1.0)) > QUIET_SHARE:
        if time.monotonic() > limit:
            console.print(f"[yellow]The machine is busy: {share:.0%} of its processors, before this run began.[/]")
            return


def busy_share(seconds: float) -> float:
    """The share of all processors' time, 0 to 1, that was used in the next `seconds`."""
    before = busy_seconds()
    time.sleep(seconds)
    return (busy_seconds() - before) / seconds / (os.cpu_count() or 1)


def busy_seconds() -> float:
    """Processor seconds that all processes have used since the boot."""
    line = Path("/proc/stat").read_text(encoding="utf-8").partition("\n")[0]
    return used_ticks(line) / os.sysconf("SC_CLK_TCK")


def used_ticks(line: str) -> int:
    """The ticks in the `cpu` line of /proc/stat that were not idle and not waited for a disk."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, line.split()[1:9])
    return user + nice + system + irq + softirq + steal
