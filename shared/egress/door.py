"""The one door for outbound HTTP: every hop checked, no header across origins, nothing followed blindly."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from urllib3.connection import HTTPConnection

from shared.egress.answer import Answer
from shared.egress.connection import dial
from shared.egress.guard import addresses, judge
from shared.egress.head import Head, read_head
from shared.egress.policy import Policy
from shared.egress.redirects import REDIRECTS, next_url, redirect_refused
from shared.egress.trail import Trail
from shared.egress.url import Refused, Target, parse
from shared.egress.wire import Wire
from shared.errors import Failure, UsageError
from shared.reasons import Reason

_OWN_HEADERS = frozenset({"host", "connection", "content-length", "transfer-encoding"})
_CROSSING = frozenset({"accept", "range", "if-range"})
_NAME = re.compile(r"[A-Za-z0-9-]+")
_VALUE = re.compile(r"[\x20-\x7e]*")


@dataclass(frozen=True)
class _Request:
    """One hop's request, before its URL is judged."""

    url: str = field(repr=False)
    method: str
    headers: Mapping[str, str] = field(repr=False)
    credential: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


@dataclass(frozen=True)
class _Limits:
    policy: Policy
    deadline: float
    stopping: Callable[[], bool]


@contextmanager
def fetch(
    url: str,
    policy: Policy,
    *,
    headers: Mapping[str, str] | None = None,
    credential: Mapping[str, str] | None = None,
    method: str = "GET",
    deadline: float | None = None,
    body: bytes | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> Iterator[Answer]:
    """Ask for `url` and give the final answer, whatever its status; the connection is closed at the end.

    `credential` goes only to the exact origin of `url`, and so do `headers` except Accept, Range, If-Range.
    `deadline` is monotonic; `stopping` is asked twice a second while waiting, and raises Stopping.
    Raises Failure: BLOCKED_ADDRESS, HOST_NOT_LISTED, REDIRECT_REFUSED, TLS_INVALID, PROTOCOL_VIOLATION,
    SOURCE_UNAVAILABLE, STALLED; its evidence holds the hops. UsageError for a header that cannot be sent.
    """
    request = _Request(url, method, _checked(headers or {}), _checked(credential or {}), body)
    limits = _Limits(policy, inf if deadline is None else deadline, stopping)
    trail = Trail(request.credential.values())
    with ExitStack() as connections:
        try:
            answer = _follow(request, limits, trail, connections)
        except Failure as failure:
            raise Failure(failure.reason, {**failure.evidence, "hops": trail.evidence()}) from None
        yield answer


def _follow(request: _Request, limits: _Limits, trail: Trail, connections: ExitStack) -> Answer:
    seen: set[str] = set()
    while request.url not in seen:
        if len(seen) > limits.policy.max_redirects:
            raise redirect_refused("too_many")
        target = _target(request.url, is_redirect=bool(seen))
        seen.add(request.url)
        trail.start(target)
        wire = connections.enter_context(_asked(request, target, limits))
        head = read_head(wire.reader)
        trail.answered(head.status)
        if head.status not in REDIRECTS:
            credentialed = bool(request.credential)
            return Answer(head, wire, trail, credentialed=credentialed, deadline=limits.deadline)
        connections.close()
        request = _redirected(request, target, head)
    raise redirect_refused("loop")


def _target(url: str, *, is_redirect: bool) -> Target:
    try:
        return parse(url)
    except Refused as refused:
        form_of_redirect = is_redirect and not refused.is_host
        reason = Reason.REDIRECT_REFUSED if form_of_redirect else Reason.BLOCKED_ADDRESS
        raise Failure(reason, {"refused": refused.why}) from None


@contextmanager
def _asked(request: _Request, target: Target, limits: _Limits) -> Iterator[Wire]:
    policy = limits.policy
    judge(target, policy)
    until = min(limits.deadline, monotonic() + policy.connect_seconds)
    with closing(dial(target, addresses(target, policy, until), policy, until)) as connection:
        _send(connection, request, target)
        head_until = min(limits.deadline, monotonic() + policy.idle_seconds)
        yield Wire(connection.sock, policy.idle_seconds, head_until, limits.stopping)


def _send(connection: HTTPConnection, request: _Request, target: Target) -> None:
    fields = {"host": target.authority, "user-agent": "outlast", "accept": "*/*", "connection": "close"}
    fields["accept-encoding"] = "identity"
    fields |= {name.lower(): value for name, value in {**request.headers, **request.credential}.items()}
    try:
        connection.request(request.method, target.request_target, request.body, fields)
    except TimeoutError:
        raise Failure(Reason.STALLED, {"phase": "request"}) from None
    except OSError as error:
        evidence = {"phase": "request", "error": type(error).__name__}
        raise Failure(Reason.SOURCE_UNAVAILABLE, evidence) from None


def _redirected(request: _Request, target: Target, head: Head) -> _Request:
    if request.method != "GET":
        raise redirect_refused("method")
    url = next_url(target, head.headers)
    if _target(url, is_redirect=True).origin == target.origin:
        return replace(request, url=url)
    crossing = {name: value for name, value in request.headers.items() if name.lower() in _CROSSING}
    return replace(request, url=url, headers=crossing, credential={})


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
            raise UsageError("A header of an outbound call has a name that cannot be used.")
        if not _VALUE.fullmatch(value):
            raise UsageError("A header of an outbound call holds a character that is not printable ASCII.")
    return headers
