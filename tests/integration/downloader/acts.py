"""Runs the act of a transfer against a fault server, and checks what must hold after every failure."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from services.downloader.clocks import Clocks
from services.downloader.order import LINK as PLAIN
from services.downloader.order import Endpoint
from services.downloader.transfer import Limits, Order, Received, transfer
from shared.egress import Policy
from shared.errors import Failure
from tests.faults.canary import CANARY, LINK, check_silent
from tests.faults.server import FaultServer, Script
from tests.faults.sinks import MemorySink

VIDEO = b"\x00\x00\x00\x20ftypisom" + bytes(range(256)) * 3000
"""Bytes that begin as a video does."""


@dataclass
class Act:
    """One transfer from a server with `script`; the fields may be changed before it runs."""

    script: Script
    path: str = LINK
    url: str | None = None
    """In place of a link to the server."""
    host: str | None = None
    credential: Mapping[str, str] | None = None
    credential_is_newer: bool = False
    endpoint: Endpoint = PLAIN
    expires_in: float | None = 3600.0
    ready_ago: float = 3600.0
    max_bytes: int = 2**30
    declared_size: int | None = None
    declared_sha256: str | None = None
    seconds: float = 20.0
    deleted_in: float | None = None
    limits: Limits = field(default_factory=lambda: Limits(pace_seconds=0.5, resume_pause_seconds=0.0))
    policy: Policy = field(default_factory=lambda: Policy(http=True, connect_seconds=2.0, idle_seconds=0.6))
    others: tuple[FaultServer, ...] = ()
    clocks: Clocks = field(default_factory=lambda: Clocks(lambda: datetime.now(UTC)))
    tls: ssl.SSLContext | None = None

    def run(self, server: FaultServer, sink: MemorySink, **calls: object) -> Received:
        """Run against a server that is up."""
        order = order_of(self, server)
        assert CANARY not in repr(order)
        hooks = {"progress": lambda count: None, "seconds_to_stop": lambda: None, **calls}
        return transfer(order, sink, policy_of(self, server), self.limits, **hooks)  # type: ignore[arg-type]

    def received(self, sink: MemorySink | None = None) -> tuple[Received, MemorySink]:
        """Run to the end; the sink was completed, and the evidence tells no secret."""
        sink = sink or MemorySink()
        with FaultServer(self.script, tls=self.tls) as server:
            received = self.run(server, sink)
        assert (sink.completed, sink.aborts) == (True, 0)
        assert CANARY not in json.dumps(dict(received.evidence))
        return received, sink

    def failed(self, sink: MemorySink | None = None) -> Failure:
        """Run to a failure; the sink was aborted and not completed, and nothing tells a secret."""
        sink = sink or MemorySink()
        with FaultServer(self.script, tls=self.tls) as server, pytest.raises(Failure) as failure:
            self.run(server, sink)
        assert not sink.completed
        assert sink.aborts >= 1
        check_silent(failure.value)
        return failure.value


def order_of(act: Act, server: FaultServer) -> Order:
    """The order of an act whose source is `server`."""
    now = datetime.now(UTC)
    return Order(
        url=server.url(act.path, act.host) if act.url is None else act.url,
        credential=act.credential,
        url_expires_at=None if act.expires_in is None else now + timedelta(seconds=act.expires_in),
        ready_at=now - timedelta(seconds=act.ready_ago),
        max_bytes=act.max_bytes,
        declared_size=act.declared_size,
        declared_sha256=act.declared_sha256,
        deadline=monotonic() + act.seconds,
        clock=act.clocks.of(server.host),
        deleted_at=None if act.deleted_in is None else now + timedelta(seconds=act.deleted_in),
        credential_is_newer=act.credential_is_newer,
        endpoint=act.endpoint,
    )


def policy_of(act: Act, server: FaultServer) -> Policy:
    """The policy of an act, with its servers allowed."""
    return replace(act.policy, allow=frozenset(each.pair for each in (server, *act.others)))
