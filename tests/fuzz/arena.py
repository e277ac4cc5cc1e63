"""One transfer against one source, and everything that must hold of it."""

from dataclasses import dataclass
from threading import get_ident
from time import monotonic

from services.downloader.transfer import Limits, Received, transfer
from shared.egress import Policy
from shared.errors import Failure
from tests.faults.canary import tells
from tests.faults.names import NameServer
from tests.faults.sinks import MemorySink
from tests.fuzz.cases import SECONDS, Case
from tests.fuzz.checks import check_failed, check_kept, check_plain, check_received
from tests.fuzz.peer import HOST, Peer
from tests.fuzz.watch import Watch

SLACK_SECONDS = 2.0
"""How late the end of a transfer may be seen where many of them, and other tests, share two cores."""
LIMITS = Limits(total_seconds=1.0, pace_seconds=0.3, resumes=2, resume_pause_seconds=0.0)


@dataclass(frozen=True)
class Outcome:
    """How a transfer ended: `bytes` or a reason, and after how many seconds."""

    word: str
    seconds: float


class Arena:
    """A source of its own, for one transfer at a time."""

    def __init__(self, names: NameServer, watch: Watch) -> None:
        self.peer = Peer()
        self._watch = watch
        pair = HOST, self.peer.port
        watch.allowed |= {pair, names.pair}
        self.policy = Policy(
            allow=frozenset({pair}), http=True, connect_seconds=0.5, idle_seconds=0.2, nameservers=(names.pair,)
        )

    def run(self, case: Case) -> Outcome:
        """Run a case; raises AssertionError, or whatever else the transfer should not have raised."""
        sink = MemorySink()
        self.peer.prepare(case.replies)
        check_kept(case.url)
        began = monotonic()
        try:
            received = self._transfer(case, sink)
        except Failure as failure:
            outcome = Outcome(str(failure.reason), monotonic() - began)
            check_failed(failure, sink)
        else:
            outcome = Outcome("bytes", monotonic() - began)
            self._settle()
            check_received(case, received, sink, self.peer.sent)
        assert outcome.seconds < SECONDS + SLACK_SECONDS, f"it took {outcome.seconds:.2f} s"
        self._check_connections(case)
        return outcome

    def _transfer(self, case: Case, sink: MemorySink) -> Received:
        order = case.made_order()
        assert not tells(repr(order))
        return transfer(order, sink, self.policy, LIMITS, progress=lambda _: None, seconds_to_stop=lambda: None)

    def _settle(self) -> None:
        self.peer.settle(self._watch.reached[self.peer.port])

    def _check_connections(self, case: Case) -> None:
        self._settle()
        denied, odd = self._watch.denied.pop(get_ident(), None), self.peer.odd_requests
        self.peer.odd_requests = []
        assert denied is None, denied
        assert not odd, odd
        if self.peer.sent:
            check_plain(case.url, self.peer.port)
