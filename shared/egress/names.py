"""Host names to addresses: absolute names only, within a time limit."""

import ipaddress
from functools import lru_cache
from time import monotonic

import dns.exception
import dns.name
import dns.nameserver
import dns.resolver

from shared.egress.addresses import Address
from shared.errors import Failure
from shared.reasons import Reason


def resolve(host: str, nameservers: tuple[tuple[str, int], ...], until: float) -> tuple[Address, ...]:
    """Every address of `host`, IPv4 first; `until` is a monotonic time.

    Raises Failure(STALLED) when time runs out, Failure(SOURCE_UNAVAILABLE) when there is no address.
    """
    left = until - monotonic()
    try:
        if left <= 0:
            raise dns.exception.Timeout
        name = dns.name.from_text(host)
        answers = _resolver(nameservers).resolve_name(name, lifetime=left, search=False)
    except dns.exception.Timeout:
        raise Failure(Reason.STALLED, {"phase": "resolve"}) from None
    except dns.exception.DNSException as error:
        kind = type(error).__name__
        raise Failure(Reason.SOURCE_UNAVAILABLE, {"phase": "resolve", "dns": kind}) from None
    found = {ipaddress.ip_address(text) for text in answers.addresses()}
    return tuple(sorted(found, key=lambda address: (address.version, address.packed)))


@lru_cache
def _resolver(nameservers: tuple[tuple[str, int], ...]) -> dns.resolver.Resolver:
    resolver = dns.resolver.Resolver(configure=not nameservers)
    if nameservers:
        resolver.nameservers = [dns.nameserver.Do53Nameserver(ip, port) for ip, port in nameservers]
    return resolver
