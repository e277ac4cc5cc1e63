"""The guard: what a URL alone says against it, and what its literal address says."""

from math import inf

import pytest

from shared.egress import Policy, parse, parse_allow
from shared.egress.guard import SPECIAL_NAMES, addresses, judge
from shared.errors import Failure, UsageError
from shared.reasons import Reason

OPEN = Policy(http=True)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "x.localhost",
        "metadata.google.internal",
        "x.internal",
        "printer.local",
        "db.prod.svc.cluster.local",
        "DB.Prod.SVC.Cluster.Local",
        "x.home.arpa",
        "1.0.0.127.in-addr.arpa",
        "minio",
        "x.onion",
        *SPECIAL_NAMES,
    ],
)
def test_case_91_a_name_of_our_own_machines_is_refused(host: str) -> None:
    assert _refusal(f"https://{host}/").evidence == {"refused": "name"}


@pytest.mark.parametrize("port", [22, 25, 5432, 5672, 6379, 9000])
def test_case_97_a_port_of_another_protocol_is_refused(port: int) -> None:
    assert _refusal(f"https://h.test:{port}/").evidence == {"refused": "port", "port": port}


def test_plain_http_needs_permission() -> None:
    judge(parse("http://h.test/"), OPEN)
    with pytest.raises(Failure) as failure:
        judge(parse("http://h.test/"), Policy())
    assert failure.value.evidence == {"refused": "scheme"}


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "https://169.254.169.254/"]
)
def test_fr16_a_literal_private_address_is_refused(url: str) -> None:
    with pytest.raises(Failure) as failure:
        addresses(parse(url), OPEN, inf)
    assert failure.value.reason is Reason.BLOCKED_ADDRESS
    assert failure.value.evidence["refused"] == "address"


def test_an_allowed_pair_is_exact_in_address_and_port() -> None:
    policy = Policy(http=True, allow=parse_allow(["127.0.0.1:9000", "[::1]:9000"]))
    for allowed in ("http://127.0.0.1:9000/", "http://[::1]:9000/", "http://[0:0::1]:9000/"):
        judge(parse(allowed), policy)
        assert addresses(parse(allowed), policy, inf)
    for foreign in ("http://127.0.0.1:80/", "http://127.0.0.2:9000/", "http://[::ffff:127.0.0.1]:9000/"):
        with pytest.raises(Failure) as failure:
            addresses(parse(foreign), policy, inf)
        assert failure.value.reason is Reason.BLOCKED_ADDRESS


def test_an_allowed_pair_opens_its_port_for_no_other_address() -> None:
    policy = Policy(allow=frozenset({("127.0.0.1", 9000)}))
    with pytest.raises(Failure) as failure:
        addresses(parse("https://93.184.216.34:9000/"), policy, inf)
    assert failure.value.evidence == {"refused": "port", "port": 9000}


@pytest.mark.parametrize("pair", ["127.0.0.1", "localhost:80", "127.0.0.1:0", "127.0.0.1:70000", "::1:x", "127.1:80"])
def test_an_allow_list_names_exact_pairs_only(pair: str) -> None:
    with pytest.raises(UsageError):
        parse_allow([pair])


def test_a_host_list_names_hosts_exactly_or_by_suffix() -> None:
    policy = Policy(hosts=("api.bfl.ai", ".blob.core.windows.net"))
    judge(parse("https://api.bfl.ai/"), policy)
    judge(parse("https://x.blob.core.windows.net/"), policy)
    for foreign in ("x.api.bfl.ai", "xblob.core.windows.net", "blob.core.windows.net.evil.test", "evil.test"):
        with pytest.raises(Failure) as failure:
            judge(parse(f"https://{foreign}/"), policy)
        assert failure.value.reason is Reason.HOST_NOT_LISTED


def _refusal(url: str) -> Failure:
    with pytest.raises(Failure) as failure:
        judge(parse(url), OPEN)
    assert failure.value.reason is Reason.BLOCKED_ADDRESS
    return failure.value
