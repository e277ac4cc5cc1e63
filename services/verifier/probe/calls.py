"""The system calls that a child may make; any other one ends it (seccomp, through libseccomp)."""

import errno
import mmap
import os
import resource
import signal
import termios
from importlib import import_module
from types import ModuleType
from typing import Any

from shared.errors import UsageError

FREE = (
    *("read", "pread64", "readv", "lseek", "fstat", "close", "write", "writev"),
    *("brk", "munmap", "mremap", "madvise", "futex", "getrandom", "sched_yield", "sched_getaffinity", "sysinfo"),
    *("clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "getrusage", "getpid", "gettid"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall", "exit", "exit_group"),
)
"""Without conditions: they work on what the child has already, which is one file to read, its channel and memory."""

AT_EMPTY_PATH = 0x1000


def load_library() -> ModuleType:
    """The binding to libseccomp. Raises UsageError where that library is not installed."""
    try:
        return import_module("pyseccomp")
    except RuntimeError as error:
        raise UsageError("The probe confines its children with libseccomp. Install libseccomp2.") from error


def allow_only(channel: int) -> None:
    """From now on this process lives by the list; messages pass through the descriptor `channel` alone.

    There is no way back, and it needs no right but "no new privileges". Raises OSError if the kernel has no seccomp.
    """
    seccomp = load_library()
    calls = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
    for name in FREE:
        calls.add_rule(seccomp.ALLOW, name)
    for name, conditions in _conditional(seccomp, channel):
        calls.add_rule(seccomp.ALLOW, name, *conditions)
    for name, error, conditions in _answered(seccomp):
        calls.add_rule(seccomp.ERRNO(error), name, *conditions)
    calls.load()


def _answered(seccomp: ModuleType) -> tuple[tuple[str, int, tuple[Any, ...]], ...]:
    """Calls that honest code makes and can do without; they are answered with an error and do nothing."""
    return (
        # The C library looks for the number of processors in a file, for instance. There are no files.
        ("openat", errno.ENOENT, ()),
        # Python asks of every file whether it is a terminal.
        ("ioctl", errno.ENOTTY, (seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, termios.TCGETS),)),
    )


def _conditional(seccomp: ModuleType, channel: int) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Calls that are allowed with these arguments only."""

    def equal(place: int, value: int) -> Any:
        # The upper half of a register that carries an int may hold anything.
        return seccomp.Arg(place, seccomp.MASKED_EQ, 0xFFFFFFFF, value)

    no_address = seccomp.Arg(4, seccomp.EQ, 0)
    not_executable = seccomp.Arg(2, seccomp.MASKED_EQ, mmap.PROT_EXEC, 0)
    return (
        ("recvmsg", (equal(0, channel),)),
        ("sendto", (equal(0, channel), no_address)),
        ("mmap", (not_executable,)),
        ("mprotect", (not_executable,)),
        # How the C library spells fstat.
        ("newfstatat", (equal(3, AT_EMPTY_PATH),)),
        # Its own allowance of CPU time, for each file anew; the parent's clock does not depend on it.
        ("prlimit64", (equal(0, 0), equal(1, resource.RLIMIT_CPU))),
        # abort(), which is how a library ends on a contradiction.
        ("tgkill", (equal(0, os.getpid()), equal(2, signal.SIGABRT))),
    )
