"""A connection to an address that was checked, with TLS verified for the name that was asked for."""

import ssl
from functools import lru_cache
from time import monotonic

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.util.ssl_match_hostname import CertificateError

from shared.egress.addresses import Address
from shared.egress.policy import Policy
from shared.egress.url import Target
from shared.errors import Failure
from shared.reasons import Reason

_MOST_ADDRESSES = 4


def dial(target: Target, addresses: tuple[Address, ...], policy: Policy, until: float) -> HTTPConnection:
    """Connect to the first address that answers before `until` (monotonic).

    Raises Failure: STALLED, SOURCE_UNAVAILABLE or TLS_INVALID.
    """
    failure = Failure(Reason.STALLED, {"phase": "connect"})
    candidates = addresses[:_MOST_ADDRESSES]
    for tried, address in enumerate(candidates):
        left = until - monotonic()
        if left <= 0:
            break
        connection = _connection(target, str(address), policy, left / (len(candidates) - tried))
        try:
            connection.connect()
        except (OSError, HTTPError, CertificateError) as error:
            connection.close()
            failure = _failure(error)
        else:
            return connection
        if failure.reason is Reason.TLS_INVALID:
            break
    raise failure


def _connection(target: Target, address: str, policy: Policy, timeout: float) -> HTTPConnection:
    if target.scheme == "http":
        return HTTPConnection(address, target.port, timeout=timeout)
    context = _tls(policy.ca_file)
    return HTTPSConnection(address, target.port, timeout=timeout, ssl_context=context, server_hostname=target.host)


@lru_cache
def _tls(ca_file: str | None) -> ssl.SSLContext:
    # Not ssl.create_default_context: it writes session keys to a file that the environment names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["http/1.1"])
    if ca_file:
        context.load_verify_locations(ca_file)
    else:
        context.load_default_certs()
    return context


def _failure(error: Exception) -> Failure:
    # To urllib3 a refused connection is a kind of time-out.
    is_late = isinstance(error, ConnectTimeoutError) and not isinstance(error, NewConnectionError)
    if is_late or isinstance(error, TimeoutError):
        return Failure(Reason.STALLED, {"phase": "connect"})
    if isinstance(error, ssl.SSLCertVerificationError):
        return Failure(Reason.TLS_INVALID, {"tls": error.verify_message[:200]})
    if isinstance(error, CertificateError):
        return Failure(Reason.TLS_INVALID, {"tls": "certificate for another name"})
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return Failure(Reason.TLS_INVALID, {"tls": str(error.reason)[:200]})
    return Failure(Reason.SOURCE_UNAVAILABLE, {"phase": "connect", "error": type(error.__cause__ or error).__name__})
