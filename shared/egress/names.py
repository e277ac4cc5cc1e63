"""Host names to addresses: absolute names only, within a time limit."""

import ipaddress
import socket
from functools import lru_cache
from time import monotonic

import dns.exception
import dns.name
import dns.nameserver
import dns.resolver

from shared.egress.addresses import Address
from shared.errors import Failure
from shared.reasons import Reason

_SECOND_FAMILY_SECONDS = 2.0


def resolve(host: str, nameservers: tuple[tuple[str, int], ...], until: float) -> tuple[Address, ...]:
    """Every address of `host`, IPv4 first; `until` is a monotonic time.

    Raises Failure(STALLED) when time runs out, Failure(SOURCE_UNAVAILABLE) when there is no address.
    """
    found: list[Address] = []
    failure: Failure | None = None
    for family in (socket.AF_INET, socket.AF_INET6):
        # Broken servers answer only one kind of question; a family that was found is not lost to the other.
        end = min(until, monotonic() + _SECOND_FAMILY_SECONDS) if found else until
        try:
            found += _ask(host, nameservers, family, end)
        except Failure as error:
            failure = failure or error
    if failure and not found:
        raise failure
    return tuple(found)


def _ask(
    host: str, nameservers: tuple[tuple[str, int], ...], family: socket.AddressFamily, until: float
) -> list[Address]:
    try:
        left = until - monotonic()
        if left <= 0:
            raise dns.exception.Timeout
        name = dns.name.from_text(host)
        answers = _resolver(nameservers).resolve_name(name, family, lifetime=left, search=False)
    except dns.exception.Timeout:
        raise Failure(Reason.STALLED, {"phase": "resolve"}) from None
    except dns.exception.DNSException as error:
        kind = type(error).__name__
        raise Failure(Reason.SOURCE_UNAVAILABLE, {"phase": "resolve", "dns": kind}) from None
    return sorted(map(ipaddress.ip_address, answers.addresses()))


@lru_cache
def _resolver(nameservers: tuple[tuple[str, int], ...]) -> dns.resolver.Resolver:
    resolver = dns.resolver.Resolver(configure=not nameservers)
    if nameservers:
        resolver.nameservers = [dns.nameserver.Do53Nameserver(ip, port) for ip, port in nameservers]
    return resolver
