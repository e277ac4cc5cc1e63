"""One child of the probe, seen from the parent: forked, asked, ended."""

import asyncio
import os
import signal
import socket
import traceback
from dataclasses import dataclass

from services.verifier.facts import MAX_ANSWER_BYTES
from services.verifier.probe import child

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
    received: bytes = b""

    @classmethod
    async def fork(cls, memory_bytes: int, empty: int) -> "Worker":
        """A child that has confined itself. Raises NoChild if it could not."""
        ours, theirs = socket.socketpair()
        try:
            pid = os.fork()
        except OSError as error:
            raise NoChild from error
        if pid == 0:
            _be_child(theirs, memory_bytes, empty)
        theirs.close()
        ours.setblocking(False)
        worker = cls(pid, ours)
        if not await worker._says(child.READY):
            worker.end()
            raise NoChild
        return worker

    async def give(self, request: bytes, descriptor: int) -> bool:
        """Hand over an open file; False if the child has died before it took it."""
        try:
            socket.send_fds(self.channel, [request], [descriptor])
        except (BrokenPipeError, ConnectionResetError):
            return False
        self.files += 1
        return await self._says(child.TAKEN)

    async def _says(self, word: bytes) -> bool:
        """Whether the child says this word, which takes it no time."""
        try:
            return await asyncio.wait_for(self.line(), WORD_SECONDS) == word
        except TimeoutError:
            return False

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
            self.channel.close()
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        return self.status


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
