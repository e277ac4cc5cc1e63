"""Names: looked up absolutely and in time, every address checked, and the checked one dialled."""

import time

import pytest

from shared.egress import Policy, fetch
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.answers import answer, in_turn, redirect
from tests.faults.canary import LINK, check_silent
from tests.faults.names import NameServer
from tests.faults.server import FaultServer


def call(url: str, names: NameServer, **more: object) -> bytes:
    settings = {"http": True, "connect_seconds": 1.0, "idle_seconds": 1.0, **more}
    with fetch(url, Policy(nameservers=(names.pair,), **settings)) as found:  # type: ignore[arg-type]
        return b"".join(found.stream())


def failing(url: str, names: NameServer, **more: object) -> Failure:
    with pytest.raises(Failure) as failure:
        call(url, names, **more)
    check_silent(failure.value)
    return failure.value


def test_a_name_is_looked_up_absolutely_and_sent_as_the_host() -> None:
    with NameServer({"media.test": [["127.0.0.1"]]}) as names, FaultServer(answer(b"ok")) as server:
        assert call(server.url(LINK, "media.test"), names, allow=frozenset({server.pair})) == b"ok"
        assert server.requests[0].headers["host"] == f"media.test:{server.port}"
        assert set(names.questions) == {"media.test."}


def test_case_92_a_name_that_turns_private_between_two_calls_is_checked_each_time() -> None:
    table = {"turns.test": [["127.0.0.1"], ["127.0.0.2"]]}
    with NameServer(table) as names, FaultServer(answer(b"ok")) as server:
        allow = frozenset({server.pair})
        assert call(server.url(LINK, "turns.test"), names, allow=allow) == b"ok"
        assert failing(server.url(LINK, "turns.test"), names, allow=allow).reason is Reason.BLOCKED_ADDRESS
        assert server.connections == 1


def test_case_92_the_name_is_asked_once_per_hop_so_that_the_dialled_address_is_the_checked_one() -> None:
    with NameServer({"turns.test": [["127.0.0.1"], ["169.254.169.254"]]}) as names:
        with FaultServer(in_turn(redirect("/again"), answer(b"never"))) as server:
            failure = failing(server.url(LINK, "turns.test"), names, allow=frozenset({server.pair}))
            assert (failure.reason, failure.evidence["why"]) == (Reason.BLOCKED_ADDRESS, "cloud metadata")
            assert server.connections == 1
        assert len(names.questions) == 4


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1", "10.0.0.1"], ["127.0.0.1", "fd00:ec2::254"], ["127.0.0.1", "::ffff:10.0.0.1"], ["10.0.0.1"]],
)
def test_case_93_one_bad_address_among_good_ones_refuses_all(addresses: list[str]) -> None:
    with NameServer({"mixed.test": [addresses]}) as names, FaultServer(answer()) as server:
        failure = failing(server.url(LINK, "mixed.test"), names, allow=frozenset({server.pair}))
        assert failure.reason is Reason.BLOCKED_ADDRESS
        assert server.connections == 0


def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    table = {"two.test": [["127.0.0.1", "127.0.0.2"]]}
    with NameServer(table) as names, FaultServer(answer(b"ok"), host="127.0.0.2") as server:
        allow = frozenset({server.pair, ("127.0.0.1", server.port)})
        assert call(server.url(LINK, "two.test"), names, allow=allow) == b"ok"


def test_fr29_a_name_server_that_hangs_is_stalled_within_the_limit() -> None:
    began = time.monotonic()
    with NameServer({"hangs.test": None}) as names:
        failure = failing(f"http://hangs.test{LINK}", names)
    assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "resolve")
    assert time.monotonic() - began < 3.0


def test_a_name_that_does_not_exist_is_an_unavailable_source() -> None:
    with NameServer({}) as names:
        failure = failing(f"http://gone.test{LINK}", names)
    assert (failure.reason, failure.evidence["dns"]) == (Reason.SOURCE_UNAVAILABLE, "NXDOMAIN")


def test_a_name_server_that_never_answers_for_ipv6_does_not_lose_the_ipv4_address() -> None:
    with (
        NameServer({"half.test": [["127.0.0.1"]]}, no_aaaa=["half.test"]) as names,
        FaultServer(answer(b"ok")) as server,
    ):
        url = server.url(LINK, "half.test")
        assert call(url, names, allow=frozenset({server.pair}), connect_seconds=5.0) == b"ok"


def test_an_address_of_ipv6_alone_is_found_and_checked() -> None:
    with NameServer({"six.test": [["fd00::1"]]}) as names:
        failure = failing(f"http://six.test{LINK}", names)
    assert (failure.reason, failure.evidence["why"]) == (Reason.BLOCKED_ADDRESS, "unique local")
