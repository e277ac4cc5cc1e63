"""A confined child: takes one open file after the other and answers each with a verdict."""

import json
import os
import signal
import socket
import warnings
from dataclasses import replace

from services.verifier.checks.image import set_up
from services.verifier.checks.order import prove
from services.verifier.policy import Limits
from services.verifier.probe.confine import allow_cpu, confine
from shared.messages import Kind

MAX_REQUEST_BYTES = 1024
READY, TAKEN = b"ready\n", b"taken\n"


def run(channel: socket.socket, memory_bytes: int, empty: int) -> None:
    """Confine this process, say so or what kept it from it, then answer requests from `channel` until it is closed."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    warnings.simplefilter("ignore")
    limits = Limits()
    set_up(limits.pixels)
    try:
        confine(memory_bytes, channel.fileno(), empty)
    except OSError as error:
        channel.sendall(f"{error}\n".encode())
        return
    channel.sendall(READY)
    while _answer(channel, limits):
        pass


def _answer(channel: socket.socket, limits: Limits) -> bool:
    """Answer one request; False when the channel is closed."""
    data, descriptors, _, _ = socket.recv_fds(channel, MAX_REQUEST_BYTES, 1)
    if not data:
        return False
    channel.sendall(TAKEN)
    request = json.loads(data)
    allow_cpu(request["seconds"])
    limits = replace(limits, accept_undecoded=frozenset(request["undecoded"]))
    with os.fdopen(descriptors[0], "rb") as file:
        verdict = prove(file, Kind(request["kind"]) if request["kind"] else None, limits)
    channel.sendall(verdict.model_dump_json().encode() + b"\n")
    return True
