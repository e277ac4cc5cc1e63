"""TLS: always verified, for the name that was asked for."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from shared.egress import Policy, fetch
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.answers import answer, raw, redirect
from tests.faults.canary import LINK, check_silent
from tests.faults.certificates import Authority
from tests.faults.names import NameServer
from tests.faults.server import FaultServer


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def names() -> Iterator[NameServer]:
    with NameServer({"media.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]}) as server:
        yield server


def call(url: str, server: FaultServer, names: NameServer, ca_file: Path | None) -> bytes:
    policy = Policy(
        allow=frozenset({server.pair}),
        nameservers=(names.pair,),
        ca_file=str(ca_file) if ca_file else None,
        connect_seconds=2.0,
        idle_seconds=1.0,
    )
    with fetch(url, policy) as found:
        return b"".join(found.stream())


def test_a_certificate_for_the_name_is_accepted_though_the_address_is_dialled(
    authority: Authority, names: NameServer
) -> None:
    with FaultServer(answer(b"ok" * 100_000), tls=authority.server("media.test")) as server:
        assert call(server.url(LINK, "media.test"), server, names, authority.file) == b"ok" * 100_000


def test_a_certificate_for_an_address_is_accepted(authority: Authority, names: NameServer) -> None:
    with FaultServer(answer(b"ok"), tls=authority.server("127.0.0.1")) as server:
        assert call(server.url(LINK), server, names, authority.file) == b"ok"


@pytest.mark.parametrize("fault", ["wrong name", "unknown authority", "expired", "address"])
def test_case_64_a_bad_certificate_is_never_accepted_and_nothing_is_sent(
    authority: Authority, names: NameServer, fault: str
) -> None:
    ends = timedelta(days=-1) if fault == "expired" else timedelta(days=1)
    with FaultServer(answer(b"never"), tls=authority.server("media.test", ends=ends)) as server:
        host = {"wrong name": "other.test", "address": "127.0.0.1"}.get(fault, "media.test")
        trusted = None if fault == "unknown authority" else authority.file
        with pytest.raises(Failure) as failure:
            call(server.url(LINK, host), server, names, trusted)
        assert failure.value.reason is Reason.TLS_INVALID
        check_silent(failure.value)
        assert server.requests == []


def test_a_server_without_tls_is_tls_invalid(names: NameServer, authority: Authority) -> None:
    with FaultServer(raw(b"HTTP/1.1 400 no\r\n\r\n"), greets=True) as server:
        url = server.url(LINK, "media.test").replace("http:", "https:")
        with pytest.raises(Failure) as failure:
            call(url, server, names, authority.file)
        assert failure.value.reason is Reason.TLS_INVALID


def test_a_handshake_that_hangs_is_stalled(names: NameServer, authority: Authority) -> None:
    with FaultServer(lambda line: line.hold(), greets=True) as server:
        url = server.url(LINK, "media.test").replace("http:", "https:")
        with pytest.raises(Failure) as failure:
            call(url, server, names, authority.file)
        assert failure.value.reason is Reason.STALLED


def test_case_61_a_redirect_from_https_to_http_is_refused(authority: Authority, names: NameServer) -> None:
    with FaultServer(redirect("http://media.test/x"), tls=authority.server("media.test")) as server:
        with pytest.raises(Failure) as failure:
            call(server.url(LINK, "media.test"), server, names, authority.file)
        assert (failure.value.reason, failure.value.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "downgrade")


def test_a_body_cut_inside_tls_is_truncated(authority: Authority, names: NameServer) -> None:
    with FaultServer(answer(b"x" * 100, length=1000), tls=authority.server("media.test")) as server:
        with pytest.raises(Failure) as failure:
            call(server.url(LINK, "media.test"), server, names, authority.file)
        assert failure.value.reason is Reason.TRUNCATED
