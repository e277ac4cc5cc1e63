"""Whether a target may be reached, and at which addresses."""

from shared.egress.addresses import Address, denied
from shared.egress.names import resolve
from shared.egress.policy import Policy
from shared.egress.url import Target
from shared.errors import Failure
from shared.reasons import Reason

SPECIAL_NAMES: dict[str, str] = {
    "localhost": "RFC 6761",
    "localdomain": "by use",
    "local": "RFC 6762; Kubernetes cluster.local",
    "internal": "ICANN 2024; cloud metadata names",
    "intranet": "by use",
    "lan": "by use",
    "home.arpa": "RFC 8375",
    "arpa": "RFC 3172",
    "invalid": "RFC 6761",
    "onion": "RFC 7686",
    "alt": "RFC 9476",
}
"""Names that mean a machine or network of our own, with the source; they and all below them are refused."""


def judge(target: Target, policy: Policy) -> None:
    """Refuse by what the URL alone says.

    Raises Failure(BLOCKED_ADDRESS) for scheme, name or port, Failure(HOST_NOT_LISTED) for a foreign host.
    """
    if target.origin == policy.origin:
        return
    if target.scheme == "http" and not policy.http:
        raise _blocked("scheme")
    if target.literal is None:
        _judge_name(target.host)
    if target.port not in policy.ports and target.port not in {port for _, port in policy.allow}:
        raise _blocked("port", port=target.port)
    if not policy.names(target.host):
        raise Failure(Reason.HOST_NOT_LISTED, {"host": target.host})


def addresses(target: Target, policy: Policy, until: float) -> tuple[Address, ...]:
    """The addresses of the target, every one of them checked; `until` is a monotonic time.

    One bad address among good ones refuses all: it is either a mistake or an attack.
    """
    found = (target.literal,) if target.literal else resolve(target.host, policy.nameservers, until)
    for address in found if target.origin != policy.origin else ():
        _judge_address(address, target.port, policy)
    return found


def _judge_name(host: str) -> None:
    labels = host.split(".")
    if len(labels) == 1 or any(".".join(labels[start:]) in SPECIAL_NAMES for start in range(len(labels))):
        raise _blocked("name")


def _judge_address(address: Address, port: int, policy: Policy) -> None:
    if (str(address), port) in policy.allow:
        return
    if row := denied(address):
        raise _blocked("address", address=str(address), why=row.why, source=row.source)
    if port not in policy.ports:
        raise _blocked("port", port=port)


def _blocked(refused: str, **more: object) -> Failure:
    return Failure(Reason.BLOCKED_ADDRESS, {"refused": refused, **more})
