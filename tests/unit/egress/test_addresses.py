"""The deny table: which addresses are never connected to."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.egress import DENIED, denied


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("0.0.0.0", "this network"),
        ("10.0.0.1", "private"),
        ("100.64.0.1", "shared carrier space"),
        ("100.100.100.200", "cloud metadata"),
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("168.63.129.16", "cloud platform"),
        ("169.254.169.254", "cloud metadata"),
        ("169.254.170.2", "cloud credentials"),
        ("169.254.1.1", "link local"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.192", "cloud metadata"),
        ("192.0.2.1", "documentation"),
        ("192.88.99.1", "6to4 relays"),
        ("192.168.1.1", "private"),
        ("198.18.0.1", "benchmarking"),
        ("198.19.255.255", "benchmarking"),
        ("203.0.113.9", "documentation"),
        ("224.0.0.1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "broadcast"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::7f00:1", "IPv4-compatible, withdrawn"),
        ("::ffff:0:7f00:1", "IPv4-translated"),
        ("64:ff9b:1::1", "local NAT64"),
        ("100::1", "discard only"),
        ("2001:db8::1", "documentation"),
        ("2001:20::1", "protocol assignments"),
        ("3fff::1", "documentation"),
        ("5f00::1", "segment routing"),
        ("fc00::1", "unique local"),
        ("fd00:ec2::254", "cloud metadata"),
        ("fe80::1", "link local"),
        ("fec0::1", "site local, withdrawn"),
        ("ff02::1", "multicast"),
        ("4000::1", "not global unicast"),
    ],
)
def test_case_89_and_90_a_special_address_is_refused_with_its_reason_and_source(address: str, why: str) -> None:
    row = denied(ipaddress.ip_address(address))
    assert row is not None
    assert row.why == why
    assert row.source


@pytest.mark.parametrize(
    "form",
    ["::ffff:{}", "64:ff9b::{}", "2002:{hex}::1", "2001:0:{hex}::", "2001:0:808:808:0:0:{flipped}", "2a00::5efe:{}"],
)
@pytest.mark.parametrize("inside", ["127.0.0.1", "169.254.169.254", "10.1.2.3", "100.64.0.1"])
def test_case_89_an_ipv6_address_is_judged_by_the_private_ipv4_address_inside(form: str, inside: str) -> None:
    assert denied(_carrying(form, inside)) == denied(ipaddress.ip_address(inside))


@pytest.mark.parametrize("form", ["::ffff:{}", "64:ff9b::{}", "2002:{hex}::1", "2a00::5efe:{}"])
def test_an_ipv6_address_with_a_public_ipv4_address_inside_is_allowed(form: str) -> None:
    assert denied(_carrying(form, "93.184.216.34")) is None


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1", "2a00:1450:4001::200e", "172.32.0.1"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert denied(ipaddress.ip_address(address)) is None


def test_every_row_of_the_table_refuses_its_first_and_last_address() -> None:
    for row in DENIED:
        assert denied(row.network[0])
        assert denied(row.network[-1])


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_nothing_that_is_not_global_is_ever_allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if denied(address) is None:
        assert not (address.is_private or address.is_loopback or address.is_link_local or address.is_multicast) or (
            isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.sixtofour)
        )


def _carrying(form: str, inside: str) -> ipaddress.IPv6Address:
    number = int(ipaddress.IPv4Address(inside))
    flipped = number ^ 0xFFFFFFFF
    parts = {"hex": f"{number >> 16:x}:{number & 0xFFFF:x}", "flipped": f"{flipped >> 16:x}:{flipped & 0xFFFF:x}"}
    return ipaddress.IPv6Address(form.format(inside, **parts))
