"""Providers as data: what each calls its hosts, lives, job records and outputs."""

from shared.providers.entry import Provider, Refresh
from shared.providers.registry import Registry

__all__ = ["Provider", "Refresh", "Registry"]
