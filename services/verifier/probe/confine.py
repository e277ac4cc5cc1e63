"""How a child gives up its rights before it sees a byte of a file, and how the probe leaves the network."""

import ctypes
import math
import os
import resource
import signal
import tempfile

from services.verifier.probe.calls import allow_only

NOBODY = 65534
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
OPEN_FILES = 16

_libc = ctypes.CDLL(None, use_errno=True)


def leave_network() -> bool:
    """Move this process into a network of its own, without interfaces; False where it may not (not root)."""
    return os.geteuid() == 0 and _libc.unshare(CLONE_NEWNET) == 0


def empty_folder() -> int:
    """A descriptor of a folder that holds nothing and never will, as it is removed already."""
    path = tempfile.mkdtemp()
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    os.rmdir(path)
    return descriptor


def confine(memory_bytes: int, keep: int, empty: int) -> None:
    """Leave this process nothing but the descriptor `keep` and `memory_bytes` more memory than it has.

    No environment, no other descriptor, no written file, no core, no debugger, and no system call that is not on the
    list; where it is root, also no files (the root folder becomes the one of the descriptor `empty`) and no user's
    rights. Raises OSError where the kernel does not let it.
    """
    os.environ.clear()
    limit_bytes, null = _virtual_bytes() + memory_bytes, os.open(os.devnull, os.O_RDWR)
    _drop_user(empty)
    for option, value in ((PR_SET_PDEATHSIG, signal.SIGKILL), (PR_SET_NO_NEW_PRIVS, 1), (PR_SET_DUMPABLE, 0)):
        if _libc.prctl(option, value, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    for limit, value in (
        (resource.RLIMIT_AS, limit_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(limit, (value, value))
    _close_all_but(keep, null)
    allow_only(keep)


def allow_cpu(seconds: float) -> None:
    """Let the kernel end this process (SIGXCPU) once it has used `seconds` more of CPU time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _close_all_but(keep: int, null: int) -> None:
    """Close every descriptor but `keep`; the standard ones lead to /dev/null, as libraries write to them."""
    for standard in range(3):
        os.dup2(null, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(keep + 1, OPEN_FILES), max(keep + 1, OPEN_FILES)))


def _drop_user(empty: int) -> None:
    if os.geteuid() != 0:
        return
    os.fchdir(empty)
    os.chroot(".")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _virtual_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
