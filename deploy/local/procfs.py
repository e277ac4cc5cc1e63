"""What the kernel says about a process in /proc."""

from pathlib import Path


def born(pid: int) -> str | None:
    """The instant of birth of a living process: the boot's id and clock ticks since that boot."""
    fields = _stat(pid)
    if not fields or fields[0] in "ZX":
        return None
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    return f"{boot}:{fields[19]}"


def is_zombie(pid: int) -> bool:
    """Whether the process is dead, but its parent has not yet asked how it ended."""
    return _stat(pid)[:1] == ["Z"]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; empty when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
