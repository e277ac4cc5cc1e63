"""An interpreter that holds a service's modules and becomes one, or the command, on request: no test waits for imports.

A program of its own (`python -m tests.system.interpreter SOCKET MODULE...`): each line of JSON that comes in by the
socket is a process to fork, or one to reap; each line that goes out is its id, or its status.
"""

# First, as OpenTelemetry starts threads in each forked process, by whose time this module's lock must be free again.
import concurrent.futures.thread  # noqa: F401
import gc
import importlib
import json
import os
import runpy
import socket
import sys
from typing import Any


def main() -> None:
    """Import the modules, then fork or reap until the other side hangs up."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
        if name.endswith("__main__"):
            # It is to run anew in each process.
            del sys.modules[name]
    gc.freeze()
    for line in channel.makefile("rb"):
        request = json.loads(line)
        if "reap" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["reap"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                channel.close()
                become(request)
                return
        channel.sendall(f"{answer}\n".encode())


def become(request: dict[str, Any]) -> None:
    """Turn this process, just forked, into `python -m MODULE` or into the command."""
    os.closerange(3, 256)
    log = os.open(request["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for standard in (1, 2):
        os.dup2(log, standard)
    os.close(log)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["words"]
    if request["words"][0] == "outlast":
        importlib.import_module("outlast.cli").main()
    else:
        runpy.run_module(request["words"][0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
