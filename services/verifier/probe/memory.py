"""How much memory a child holds at most, as the kernel counts it: its resident set, libraries among it."""

import contextlib
from pathlib import Path

RESET_PEAK = "5"
"""Written to clear_refs it sets the peak of the resident set back to what is held now (proc(5))."""


def forget_peak(pid: int) -> None:
    """Begin to count anew; where this process may not (not root), the peak goes on over all files of the child."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK, encoding="ascii")


def peak_bytes(pid: int) -> int | None:
    """The peak in bytes, of a process that still runs; None of any other."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    told = (line.split() for line in lines if line.startswith("VmHWM:"))
    return next((int(words[1]) * 1024 for words in told), None)
