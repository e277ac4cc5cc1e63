"""Webhooks of providers: their addresses, and what proves them."""

from services.ingest.webhooks.address import Callback, path_of, read_path
from services.ingest.webhooks.jwks import Jwks
from services.ingest.webhooks.proof import Proof, prove
from services.ingest.webhooks.request import Request
from services.ingest.webhooks.secrets import secrets_of
from services.ingest.webhooks.unproven import Unproven, Why

__all__ = [
    "Callback",
    "Jwks",
    "Proof",
    "Request",
    "Unproven",
    "Why",
    "path_of",
    "prove",
    "read_path",
    "secrets_of",
]
