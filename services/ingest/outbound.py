"""What ingest may reach outside: the providers' APIs, and nothing that an event alone names."""

from shared.egress import Policy, parse_allow
from shared.settings import Settings


def api_policy(settings: Settings) -> Policy:
    """For addresses that stand in providers' entries, or lie on the same origin: only the deny table applies."""
    return Policy(
        allow=parse_allow(settings.egress_allow),
        http=settings.egress_http,
        connect_seconds=settings.connect_seconds,
        idle_seconds=settings.idle_seconds,
    )
