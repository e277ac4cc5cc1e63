"""The stand of the transfers: a fresh stack, Ceph's object store, a source, and all who will bring a body over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from uuid import uuid4

from rich.console import Console

from bench.downloader import Downloader
from bench.place import fresh_folder
from bench.rivals import NAMES as RIVALS
from bench.rivals import Rivals, Run
from bench.source import Source, started
from deploy.local.credentials import Credentials
from deploy.local.object_store import REGION
from deploy.local.ports import settle
from deploy.local.rgw import PORTS, Rgw
from deploy.local.stack import Stack
from shared.objects import Store

OURS = "outlast downloader"
TOOLS = (OURS, *RIVALS)
BUCKET = "outlast-staging"


@dataclass(frozen=True)
class Stand:
    """Who and what is there, all of it running."""

    source: Source
    store: Store
    rivals: Rivals
    downloader: Downloader

    def bring(self, tool: str, size: int, digest: str | None = None) -> Run:
        """Let a tool bring a body of `size` bytes into the store, look at it there and delete it.

        With `digest` all bytes are read back and must have that SHA-256. Raises RuntimeError if the object is
        not what it must be.
        """
        run, key = self._brought(tool, self.source.url(size))
        head = self.store.stat(BUCKET, key)
        if head is None or head.size != size:
            raise RuntimeError(f"{tool} did not store {size} bytes: {head}")
        if digest is not None and self.store.digest(BUCKET, key).sha256 != digest:
            raise RuntimeError(f"{tool} stored other bytes")
        self.store.delete(BUCKET, key)
        return run

    def _brought(self, tool: str, url: str) -> tuple[Run, str]:
        if tool == OURS:
            return self.downloader.transfer(url)
        key = f"{sha256(tool.encode()).hexdigest()[:8]}/{uuid4().hex}"
        return self.rivals.run(tool, url, key), key


@contextmanager
def stand(console: Console) -> Iterator[Stand]:
    """Start it, in about half a minute, and stop it at the end. Raises UsageError and StartError."""
    with fresh_folder() as folder:
        stack, rgw = Stack.open(folder), Rgw(folder, settle({}, PORTS), Credentials(folder / "secrets"))
        try:
            with console.status("starting RabbitMQ, Postgres and Ceph"):
                stack.start_servers(lambda part, _: stack.prepare(part.process.name))
                rgw.start(detach=False)
            store = Store.open(rgw.address(), REGION, rgw.access_key, rgw.secret_key, part_bytes=8 * 2**20)
            store.ensure_bucket(BUCKET)
            with started(folder) as source:
                yield Stand(source, store, Rivals(rgw, BUCKET), Downloader(stack, rgw, source))
        finally:
            with console.status("stopping"):
                stack.stop()
                rgw.stop()
