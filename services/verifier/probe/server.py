"""The probe's door: a Unix socket that takes a file's name and gives back a verdict, one JSON line each."""

import asyncio
import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.verifier.probe.pool import Pool
from services.verifier.probe.worker import NoChild
from shared.messages import Kind

log = structlog.get_logger(__name__)

MAX_REQUEST_BYTES = 1024
SOCKET_MODE = 0o660


class Request(BaseModel):
    """A question: a file of the shared folder by its name, and the kind it must have."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    file: str = Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$")
    kind: Kind | None = None


async def serve(socket: Path, directory: Path, pool: Pool, stop: asyncio.Event) -> None:
    """Answer on `socket` about the files of `directory` until `stop` is set."""
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A caller that hangs up has no use for the rest of its answers.
        with contextlib.suppress(ConnectionError):
            while line := await _request(reader):
                writer.write(await answer(line, folder, pool) + b"\n")
                await writer.drain()
        writer.close()

    socket.unlink(missing_ok=True)
    server = await asyncio.start_unix_server(connected, socket, limit=MAX_REQUEST_BYTES)
    socket.chmod(SOCKET_MODE)
    await stop.wait()
    server.close()
    socket.unlink(missing_ok=True)


async def _request(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty at the end, or if it is longer than any request."""
    try:
        return await reader.readline()
    except ValueError:
        return b""


async def answer(line: bytes, folder: int, pool: Pool) -> bytes:
    """The answer to one request: a verdict, or an error of the caller that says nothing about a file."""
    try:
        request = Request.model_validate_json(line)
    except ValidationError:
        return b'{"error":"no valid request"}'
    try:
        with _opened(folder, request.file) as descriptor:
            return (await pool.examine(descriptor, request.kind)).model_dump_json().encode()
    except FileNotFoundError:
        return b'{"error":"no such file"}'
    except NoChild:
        log.exception("probe_has_no_child")
        return b'{"error":"no child"}'


@contextlib.contextmanager
def _opened(folder: int, name: str) -> Iterator[int]:
    """A regular file of the folder, open for reading; a link or anything else is not there."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise FileNotFoundError(name) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(name)
        yield descriptor
    finally:
        os.close(descriptor)
