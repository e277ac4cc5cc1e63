"""What must hold of a transfer that has ended."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from services.downloader.transfer import Received
from shared.errors import Failure
from shared.expiry import link_life
from shared.links import place_of
from tests.faults.canary import check_evidence, check_silent
from tests.faults.sinks import MemorySink
from tests.fuzz.cases import Case
from tests.fuzz.peer import HOST, Reply
from tests.fuzz.reference import body_of
from tests.fuzz.zone import SUFFIX

_HOST = re.compile(r"[a-z0-9_.-]{0,253}|[0-9a-f:.]{2,45}")
_NAMES = rf"{re.escape(HOST)}|[a-z0-9_.-]+{re.escape(SUFFIX)}"
_REST = r"(?:[/?][!-\[\]-~\x80-\U0010ffff]*)?(?:#.*)?"


def check_received(case: Case, received: Received, sink: MemorySink, sent: Sequence[Reply]) -> None:
    """The sink was completed with as many bytes as were counted, and they are those that `sent` meant."""
    assert (sink.completed, sink.aborts) == (True, 0)
    data = bytes(sink.data)
    assert (received.size, received.sha256) == (len(data), sha256(data).hexdigest())
    assert 0 < received.size <= case.made_order().max_bytes
    check_evidence(received.evidence)
    _check_hosts(received.evidence)
    if sent:
        assert received.evidence["status"] == 200
        expected = case.whole if len(sent) > 1 and case.whole else body_of(sent[-1].data, at_once=not sent[-1].cuts)
        assert data == expected, f"{len(data)} bytes were received, and {len(expected)} were sent"
    else:
        assert received.proven_by == "uri"


def check_failed(failure: Failure, sink: MemorySink) -> None:
    """The sink was aborted, the reason is one of a source, and nothing tells a secret."""
    assert not sink.completed
    assert sink.aborts >= 1
    assert not failure.reason.is_ours, f"{failure.reason} is no fault of a source"
    assert failure.retry_after is None or 0 <= failure.retry_after < float("inf")
    check_silent(failure)
    _check_hosts(failure.evidence)


def check_kept(url: str) -> None:
    """What is kept of a link beside its sealed form, its host and its life, is read from any text, and is no more."""
    assert _HOST.fullmatch(place_of(url).host), "a host that is none"
    link_life(url, datetime.now(UTC))


def check_plain(url: str, port: int) -> None:
    """A link that has reached the source at HOST and `port` names it in the one way that there is."""
    assert re.fullmatch(rf"(?ai:https?)://(?:{_NAMES}):{port}{_REST}", url), "a link that does not name the source"


def _check_hosts(evidence: Mapping[str, object]) -> None:
    hops = evidence.get("hops", [])
    assert isinstance(hops, list)
    for host in (evidence.get("host", ""), *(hop["host"] for hop in hops)):
        assert _HOST.fullmatch(host), "a host in the evidence that is none"
