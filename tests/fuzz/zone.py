"""Addresses of every kind that is never to be reached, in every notation, and names that resolve to them."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from random import Random

Address = IPv4Address | IPv6Address

# Written down from the IANA registries and the clouds' manuals, not from the product's own table.
PRIVATE4 = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/29"),
    *("192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32"),
    *("169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"),
)
PRIVATE6 = (
    *("::/96", "::1/128", "100::/64", "2001:db8::/32", "2001:2::/48", "3fff::/20", "5f00::/16", "fc00::/7"),
    *("fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128", "64:ff9b:1::/48", "4000::/3"),
)
_NETWORKS = tuple(map(ipaddress.ip_network, PRIVATE4 + PRIVATE6))
_V4 = tuple(map(ipaddress.IPv4Network, PRIVATE4))
_V6 = tuple(map(ipaddress.IPv6Network, PRIVATE6))
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_CARRIERS = (("::ffff:0:0", 0), ("64:ff9b::", 0), ("2002::", 80), ("2001:db9::200:5efe:0:0", 0))
"""IPv6 addresses that carry an IPv4 one, and where its lowest bit goes."""
SUFFIX = ".zone.test"


def is_private(host: str) -> bool:
    """Whether nothing may ever connect to this address, by this module's own list and the standard library's."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return True
    if inside := _carried(address):
        return any(is_private(str(each)) for each in inside)
    is_unicast = address in _GLOBAL_UNICAST if isinstance(address, IPv6Address) else not address.is_multicast
    return any(address in network for network in _NETWORKS) or not (address.is_global and is_unicast)


def _carried(address: Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    number, teredo = int(address), address.teredo
    found = [IPv4Address(number >> at & 0xFFFFFFFF) for carrier, at in _CARRIERS if _is_on(number, carrier, at)]
    return [*found, *(teredo or ())]


def _is_on(number: int, carrier: str, at: int) -> bool:
    rest = 16 if carrier == "2002::" else 96
    return number >> (128 - rest) == int(IPv6Address(carrier)) >> (128 - rest)


def private(random: Random) -> Address:
    """An address that is not to be reached; in IPv6 perhaps one that only carries such an address."""
    kind = random.randrange(4)
    if kind == 0:
        network6 = random.choice(_V6)
        return network6[random.randrange(network6.num_addresses)]
    network = random.choice(_V4)
    address = network[random.randrange(network.num_addresses)]
    if kind > 1:
        return address
    carrier, at = random.choice(_CARRIERS)
    return IPv6Address(int(IPv6Address(carrier)) | int(address) << at)


def written(random: Random, address: Address) -> str:
    """The address as the host of a URL, in a usual or an odd notation."""
    if isinstance(address, IPv6Address):
        forms = (address.compressed, address.exploded, address.compressed.upper(), f"{address}%25eth0")
        return f"[{random.choice(forms)}]"
    number, parts = int(address), str(address).split(".")
    return random.choice(
        (
            str(address),
            str(address),
            str(number),
            hex(number),
            f"0{number:o}",
            ".".join(hex(int(part)) for part in parts),
            ".".join(f"0{int(part):o}" for part in parts),
            ".".join(part.zfill(3) for part in parts),
            f"{parts[0]}.{number & 0xFFFFFF}",
            f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
            f"{address}.",
            "".join(chr(0xFF10 + int(c)) if c.isdigit() else c for c in str(address)),
            "".join(f"%{ord(c):02x}" for c in str(address)),
            f"[::ffff:{address}]",
            f"[::{address}]",
        )
    )


def name_of(*addresses: Address | str, turns: str = "") -> str:
    """A name that resolves to these addresses; with `turns`, a word of its own, to the next one at every look-up."""
    labels = [f"{int(a):08x}" if isinstance(a, IPv4Address) else f"{int(a):032x}" for a in map(_address, addresses)]
    return ".".join([*([f"turn-{turns}"] if turns else []), *labels]) + SUFFIX


def _address(address: Address | str) -> Address:
    return ipaddress.ip_address(address) if isinstance(address, str) else address


class Zone(Mapping[str, Sequence[Sequence[str]] | None]):
    """The table of a name server that reads the addresses of a name from the name itself."""

    def __getitem__(self, name: str) -> Sequence[Sequence[str]] | None:
        labels = name.removesuffix(SUFFIX).split(".")
        if not name.endswith(SUFFIX) or labels[0] == "gone":
            raise KeyError(name)
        if labels[0] == "silent":
            return None
        turns = labels[0].startswith("turn-")
        try:
            addresses = [str(ipaddress.ip_address(bytes.fromhex(label))) for label in labels[turns:]]
        except ValueError:
            return [[]]
        return [[address] for address in addresses] if turns else [addresses]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
