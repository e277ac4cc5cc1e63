"""One child of the probe, seen from the parent: forked, asked, ended."""

import asyncio
import os
import signal
import socket
import traceback
from dataclasses import dataclass

from services.verifier.facts import MAX_ANSWER_BYTES
from services.verifier.probe import child
from services.verifier.probe.memory import forget_peak, peak_bytes

WORD_SECONDS = 10.0
"""A child that does not even take a file within this time is of no use."""


class NoChild(Exception):  # noqa: N818 (a state of the probe, told apart from any verdict)
    """A child could not be started or confined: a fault of the probe, it says nothing about a file."""


@dataclass
class Worker:
    """A confined child and our end of the channel to it."""

    pid: int
    channel: socket.socket
    files: int = 0
    status: int | None = None
    last_peak: int | None = None
    received: bytes = b""

    @classmethod
    async def fork(cls, memory_bytes: int, empty: int) -> "Worker":
        """A child that has confined itself. Raises NoChild if it could not."""
        ours, theirs = socket.socketpair()
        try:
            pid = os.fork()
        except OSError as error:
            raise NoChild(f"no process: {error.strerror}") from error
        if pid == 0:
            _be_child(theirs, memory_bytes, empty)
        theirs.close()
        ours.setblocking(False)
        worker = cls(pid, ours)
        word = await worker._word()
        if word != child.READY:
            worker.end()
            raise NoChild(word.decode(errors="replace").strip() or "it ended at once")
        return worker

    async def give(self, request: bytes, descriptor: int) -> bool:
        """Hand over an open file; False if the child has died before it took it."""
        forget_peak(self.pid)
        try:
            socket.send_fds(self.channel, [request], [descriptor])
        except (BrokenPipeError, ConnectionResetError):
            return False
        self.files += 1
        return await self._word() == child.TAKEN

    async def _word(self) -> bytes:
        """What the child says at once; empty if it ends or is silent."""
        try:
            return await asyncio.wait_for(self.line(), WORD_SECONDS)
        except TimeoutError:
            return b""

    async def line(self) -> bytes:
        """One line of bounded length from the child; empty if it ended first."""
        loop = asyncio.get_running_loop()
        while b"\n" not in self.received and len(self.received) <= MAX_ANSWER_BYTES:
            try:
                part = await loop.sock_recv(self.channel, MAX_ANSWER_BYTES)
            except ConnectionResetError:
                return b""
            if not part:
                return b""
            self.received += part
        line, end, self.received = self.received.partition(b"\n")
        return line + end

    def end(self) -> int:
        """Kill the child if it still runs; its wait status tells what ended it."""
        if self.status is None:
            self.last_peak = peak_bytes(self.pid)
            self.channel.close()
            os.kill(self.pid, signal.SIGKILL)
            _, self.status, usage = os.wait4(self.pid, 0)
            self.last_peak = self.last_peak or usage.ru_maxrss * 1024
        return self.status

    def peak_bytes(self) -> int | None:
        """The most memory that the child held since it was given its latest file, in bytes."""
        return peak_bytes(self.pid) if self.status is None else self.last_peak


def _be_child(channel: socket.socket, memory_bytes: int, empty: int) -> None:
    """Never returns: whatever happens, this process must not go on as a second parent."""
    code = 1
    try:
        child.run(channel, memory_bytes, empty)
        code = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(code)
