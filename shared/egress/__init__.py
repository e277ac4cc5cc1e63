"""Every outbound HTTP call of Outlast, and the guard in front of it."""

from shared.egress.addresses import DENIED, Denied, denied
from shared.egress.answer import Answer
from shared.egress.door import fetch
from shared.egress.head import Headers
from shared.egress.policy import Policy, parse_allow
from shared.egress.trail import Hop
from shared.egress.url import MAX_URL, Refused, Target, parse
from shared.egress.wishes import retry_after

__all__ = [
    "DENIED",
    "MAX_URL",
    "Answer",
    "Denied",
    "Headers",
    "Hop",
    "Policy",
    "Refused",
    "Target",
    "denied",
    "fetch",
    "parse",
    "parse_allow",
    "retry_after",
]
