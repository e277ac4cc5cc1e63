"""The addresses that are never connected to, each range with its reason and its source."""

import ipaddress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Denied:
    """A range that is refused: what it is, and the document that says so."""

    network: IPv4Network | IPv6Network
    why: str
    source: str


def _row(network: str, why: str, source: str) -> Denied:
    return Denied(ipaddress.ip_network(network), why, source)


DENIED: tuple[Denied, ...] = (
    # Clouds' own services come first, so that the evidence names them and not the range around them.
    _row("169.254.169.254/32", "cloud metadata", "AWS, Azure, Google, OCI instance metadata"),
    _row("169.254.170.2/32", "cloud credentials", "AWS ECS task credentials"),
    _row("169.254.170.23/32", "cloud credentials", "AWS EKS Pod Identity"),
    _row("100.100.100.200/32", "cloud metadata", "Alibaba Cloud ECS metadata"),
    _row("168.63.129.16/32", "cloud platform", "Azure virtual public IP"),
    _row("192.0.0.192/32", "cloud metadata", "Oracle Cloud classic metadata"),
    _row("fd00:ec2::254/128", "cloud metadata", "AWS instance metadata over IPv6"),
    _row("fd20:ce::254/128", "cloud metadata", "Google Cloud metadata over IPv6"),
    _row("0.0.0.0/8", "this network", "RFC 791, RFC 1122 3.2.1.3"),
    _row("10.0.0.0/8", "private", "RFC 1918"),
    _row("100.64.0.0/10", "shared carrier space", "RFC 6598"),
    _row("127.0.0.0/8", "loopback", "RFC 1122 3.2.1.3"),
    _row("169.254.0.0/16", "link local", "RFC 3927"),
    _row("172.16.0.0/12", "private", "RFC 1918"),
    _row("192.0.0.0/24", "protocol assignments", "RFC 6890 2.1"),
    _row("192.0.2.0/24", "documentation", "RFC 5737"),
    _row("192.31.196.0/24", "AS112 service", "RFC 7535"),
    _row("192.52.193.0/24", "multicast tunnels", "RFC 7450"),
    _row("192.88.99.0/24", "6to4 relays", "RFC 7526"),
    _row("192.168.0.0/16", "private", "RFC 1918"),
    _row("192.175.48.0/24", "AS112 service", "RFC 7534"),
    _row("198.18.0.0/15", "benchmarking", "RFC 2544"),
    _row("198.51.100.0/24", "documentation", "RFC 5737"),
    _row("203.0.113.0/24", "documentation", "RFC 5737"),
    _row("224.0.0.0/4", "multicast", "RFC 5771"),
    _row("255.255.255.255/32", "broadcast", "RFC 919"),
    _row("240.0.0.0/4", "reserved", "RFC 1112"),
    _row("::/128", "unspecified", "RFC 4291 2.5.2"),
    _row("::1/128", "loopback", "RFC 4291 2.5.3"),
    _row("::/96", "IPv4-compatible, withdrawn", "RFC 4291 2.5.5.1"),
    _row("::ffff:0:0:0/96", "IPv4-translated", "RFC 2765"),
    _row("64:ff9b:1::/48", "local NAT64", "RFC 8215"),
    _row("100::/64", "discard only", "RFC 6666"),
    _row("100:0:0:1::/64", "dummy prefix", "RFC 9780"),
    _row("2001::/23", "protocol assignments", "RFC 2928"),
    _row("2001:db8::/32", "documentation", "RFC 3849"),
    _row("2620:4f:8000::/48", "AS112 service", "RFC 7534"),
    _row("3fff::/20", "documentation", "RFC 9637"),
    _row("5f00::/16", "segment routing", "RFC 9602"),
    _row("fc00::/7", "unique local", "RFC 4193"),
    _row("fe80::/10", "link local", "RFC 4291 2.5.6"),
    _row("fec0::/10", "site local, withdrawn", "RFC 3879"),
    _row("ff00::/8", "multicast", "RFC 4291 2.7"),
)
"""The IANA special-purpose registries and the clouds' own services; the first match is the reason."""

_NOT_GLOBAL4 = _row("0.0.0.0/0", "not globally reachable", "IANA IPv4 special-purpose registry")
_NOT_GLOBAL6 = _row("::/0", "not global unicast", "RFC 4291 2.4")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def denied(address: Address) -> Denied | None:
    """The row that refuses `address`, or None when it may be connected to.

    An IPv6 address that carries an IPv4 address is judged by the one inside.
    """
    if isinstance(address, IPv4Address):
        return _listed(address) or (None if address.is_global else _NOT_GLOBAL4)
    if inside := _inside(address):
        return next((row for row in map(denied, inside) if row), None)
    if row := _listed(address):
        return row
    return None if address.is_global and address in _GLOBAL_UNICAST else _NOT_GLOBAL6


def _listed(address: Address) -> Denied | None:
    return next((row for row in DENIED if address in row.network), None)


def _inside(address: IPv6Address) -> tuple[IPv4Address, ...]:
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    is_isatap = address in _GLOBAL_UNICAST and (int(address) >> 32) & 0xFFFFFFFF in _ISATAP
    return (low,) if address in _NAT64 or is_isatap else ()
