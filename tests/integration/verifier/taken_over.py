"""A program whose children try what a hostile file would: `taken_over.py root|nobody|free SECRET ACT...`."""

import codecs
import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import pyseccomp

from services.verifier.probe.calls import load_library
from services.verifier.probe.confine import allow_cpu, confine, empty_folder, leave_network

MEMORY_BYTES = 200 * 2**20
NOBODY = 65534
TRACE_ATTACH = 16

load_library()
who, secret_path = sys.argv[1:3]
secret = os.open(secret_path, os.O_RDONLY)
listener = socket.create_server(("127.0.0.1", 0))
libc = ctypes.CDLL(None, use_errno=True)


def connect() -> str:
    with socket.create_connection(listener.getsockname(), 2) as connection:
        accepted, _ = listener.accept()
        accepted.sendall(b"hello")
        return connection.recv(10).decode()


def read(path: str) -> str:
    with open(path) as file:
        return file.read()


def write() -> None:
    with open("/tmp/written", "wb") as file:
        for _ in range(10_000):
            file.write(bytes(1_000_000))


def allocate() -> None:
    held = []
    while True:
        held.append(bytearray(10 * 2**20))


def loop() -> None:
    allow_cpu(1)
    while True:
        pass


def call(name: str) -> int:
    """A system call without arguments; the filter looks at it before the kernel does."""
    return int(libc.syscall(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name), 0, 0, 0, 0, 0, 0))


ACTS: dict[str, Callable[[], Any]] = {
    "connect": connect,
    "unix_socket": lambda: socket.socket(socket.AF_UNIX),
    "fork": os.fork,
    "run_a_shell": lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
    "become_a_shell": lambda: os.execv("/bin/sh", ["sh", "-c", "true"]),
    "thread": lambda: threading.Thread(target=print).start(),
    "read_a_secret": lambda: read(secret_path),
    "read_what_was_inherited": lambda: os.read(secret, 10),
    "read_a_setting": lambda: os.environ["SECRET"],
    "read_environ_of_1": lambda: read("/proc/1/environ"),
    "write_10_gb": write,
    "allocate_without_end": allocate,
    "loop_for_ever": loop,
    "kill_the_parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "trace_the_parent": lambda: libc.ptrace(TRACE_ATTACH, os.getppid(), 0, 0),
    "become_root": lambda: os.setuid(0),
    "raise_memory_limit": lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
    "executable_memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
}


def attempt(name: str) -> str:
    act = (lambda: call(name.removeprefix("call:"))) if name.startswith("call:") else ACTS[name]
    try:
        return f"did it: {act()}"
    except Exception as error:  # noqa: BLE001 (whatever keeps it from the act is the answer)
        return type(error).__name__


def end(name: str, empty: int) -> tuple[str, int]:
    """What a child that tries this act says, and its wait status."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        if who != "free":
            confine(MEMORY_BYTES, theirs.fileno(), empty)
        theirs.sendall(attempt(name).encode())
        os._exit(0)
    theirs.close()
    with ours:
        answer = ours.recv(1000).decode()
    return answer, os.waitpid(pid, 0)[1]


def main() -> None:
    if who == "root":
        leave_network()
    empty = empty_folder()
    # Loaded now, as nobody may not read where it lies.
    codecs.lookup("ascii")
    if who == "nobody" and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    print(json.dumps({name: end(name, empty) for name in sys.argv[3:]}))


if __name__ == "__main__":
    main()
